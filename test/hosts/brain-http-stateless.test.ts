import { holdToContract } from './table.ts';

holdToContract('brain', 'HTTP without sessions');
