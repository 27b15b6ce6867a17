import { holdToContract } from './table.ts';

holdToContract('chat', 'stdio alone');
