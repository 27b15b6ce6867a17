import { holdToContract } from './table.ts';

holdToContract('board', 'stdio alone');
