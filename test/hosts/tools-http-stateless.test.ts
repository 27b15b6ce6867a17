import { holdToContract } from './table.ts';

holdToContract('tools', 'HTTP without sessions');
