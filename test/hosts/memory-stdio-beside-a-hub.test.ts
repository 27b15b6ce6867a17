import { memoryExtendedContract } from '../contract/memory-extended.ts';
import { memoryContract } from '../contract/memory-tools.ts';
import { stdioHost } from '../fixtures/memory-host.ts';

memoryContract('over stdio beside a hub', () => stdioHost('beside a hub'));
memoryExtendedContract('over stdio beside a hub', () => stdioHost('beside a hub'));
