import { inject } from 'vitest';
import { freshPlace } from '../fixtures/databases.ts';
import { stdioHost } from '../fixtures/memory-host.ts';
import { memoryExtendedContract } from './memory-extended.ts';

/** The published bin, where a process per connection is affordable; the whole suite runs over HTTP. */
memoryExtendedContract('stdio alone', () => stdioHost('alone'));
memoryExtendedContract('stdio beside a hub', () => stdioHost('beside a hub'));
memoryExtendedContract('stdio alone on PostgreSQL', async () => {
  const { schema } = await freshPlace('postgres');
  return stdioHost('alone', { HOLDFAST_DATABASE_URL: inject('postgresUrl'), HOLDFAST_DATABASE_SCHEMA: schema! });
});
