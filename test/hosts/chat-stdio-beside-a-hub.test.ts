import { holdToContract } from './table.ts';

holdToContract('chat', 'stdio beside a hub');
