import { holdToContract } from './table.ts';

holdToContract('brain', 'HTTP with a session');
