import { memoryExtendedContract } from '../contract/memory-extended.ts';
import { memoryContract } from '../contract/memory-tools.ts';
import { stdioHost } from '../fixtures/memory-host.ts';

memoryContract('over stdio alone', () => stdioHost('alone'));
memoryExtendedContract('over stdio alone', () => stdioHost('alone'));
/** What differs between the engines is tried in-process; here, that the bin reaches the other one. */
memoryExtendedContract('over stdio alone on PostgreSQL', () => stdioHost('alone', 'postgres'));
