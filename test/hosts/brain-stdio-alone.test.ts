import { holdToContract } from './table.ts';

holdToContract('brain', 'stdio alone');
