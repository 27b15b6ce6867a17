import { holdToContract } from './table.ts';

holdToContract('chat', 'HTTP without sessions');
