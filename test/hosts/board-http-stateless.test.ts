import { holdToContract } from './table.ts';

holdToContract('board', 'HTTP without sessions');
