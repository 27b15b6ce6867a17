import { holdToContract } from './table.ts';

holdToContract('tools', 'stdio beside a hub');
