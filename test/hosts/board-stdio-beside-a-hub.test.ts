import { holdToContract } from './table.ts';

holdToContract('board', 'stdio beside a hub');
