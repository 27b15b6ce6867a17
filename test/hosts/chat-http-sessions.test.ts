import { holdToContract } from './table.ts';

holdToContract('chat', 'HTTP with a session');
