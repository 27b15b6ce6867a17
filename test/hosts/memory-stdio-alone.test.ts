import { inject } from 'vitest';
import { memoryExtendedContract } from '../contract/memory-extended.ts';
import { memoryContract } from '../contract/memory-tools.ts';
import { freshPlace } from '../fixtures/databases.ts';
import { stdioHost } from '../fixtures/memory-host.ts';

memoryContract('over stdio alone', () => stdioHost('alone'));
memoryExtendedContract('over stdio alone', () => stdioHost('alone'));
/** What differs between the engines is tried in-process; here, that the bin reaches the other one. */
memoryExtendedContract('over stdio alone on PostgreSQL', async () => {
  const { schema } = await freshPlace('postgres');
  return stdioHost('alone', {
    HOLDFAST_DATABASE_URL: inject('postgresUrl'),
    HOLDFAST_DATABASE_SCHEMA: schema!,
  });
});
