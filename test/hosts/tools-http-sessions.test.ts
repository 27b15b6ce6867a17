import { holdToContract } from './table.ts';

holdToContract('tools', 'HTTP with a session');
