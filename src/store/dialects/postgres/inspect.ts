import pg from 'pg';
import { HubError } from '../../../kernel/errors.ts';
import { codeOf } from '../../../kernel/file-faults.ts';
import { latestSchema } from '../../migrations/list.ts';
import { newerSchema } from '../../migrations/refuse.ts';
import { refuseEncoding, schemaOf } from './migrate.ts';

/** What a server has of ours. Changes nothing; throws what is wrong with it. */
export async function inspectPostgres(
  url: string,
  schema: string,
): Promise<Readonly<{ server: string; schema: number }>> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'holdfast doctor',
    options: `-c search_path=${schema}`,
    connectionTimeoutMillis: 5_000,
    types: { getTypeParser: int8AsNumber as typeof pg.types.getTypeParser },
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('show server_version');
    await refuseEncoding(client);
    const found = await schemaOf(client, schema);
    if (found > latestSchema) throw newerSchema(found, latestSchema);
    return { server: rows[0]!.server_version, schema: found };
  } catch (thrown) {
    if (thrown instanceof HubError) throw thrown;
    const reason = codeOf(thrown) || 'unknown reason';
    throw new HubError('unavailable', `The PostgreSQL server cannot be used (${reason}).`, {
      hint: 'Check HOLDFAST_DATABASE_URL, and that the server runs and lets this user in.',
    }).because(thrown);
  } finally {
    await client.end().catch(() => undefined);
  }
}

const INT8 = 20;

function int8AsNumber(oid: number, format?: 'text' | 'binary'): unknown {
  return oid === INT8 ? Number : pg.types.getTypeParser(oid, format);
}
