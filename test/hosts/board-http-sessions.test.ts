import { holdToContract } from './table.ts';

holdToContract('board', 'HTTP with a session');
