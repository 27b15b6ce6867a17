import { holdToContract } from './table.ts';

holdToContract('brain', 'stdio beside a hub');
