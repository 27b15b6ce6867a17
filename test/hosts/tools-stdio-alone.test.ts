import { holdToContract } from './table.ts';

holdToContract('tools', 'stdio alone');
