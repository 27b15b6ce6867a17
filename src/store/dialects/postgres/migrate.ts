import type { ClientBase } from 'pg';
import { latestSchema, stepsAfter } from '../../migrations/list.ts';
import { foreignDatabase, foreignEncoding, newerSchema } from '../../migrations/refuse.ts';
import { spell } from '../../migrations/spell.ts';

/**
 * Brings the schema up to date. Hubs that start together take turns, step by step: the lock goes with the
 * transaction, so that one which is frozen on the way holds up nobody for longer than the server lets it
 * pause.
 */
export async function migrate(client: ClientBase, schema: string): Promise<number> {
  await refuseEncoding(client);
  for (;;) {
    await client.query('begin');
    try {
      await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [
        `holdfast:migrate:${schema}`,
      ]);
      const isDone = !(await migrateOnce(client, schema));
      await client.query('commit');
      if (isDone) return latestSchema;
    } catch (thrown) {
      await client.query('rollback').catch(() => undefined);
      throw thrown;
    }
  }
}

/** False when there was nothing to do. */
async function migrateOnce(client: ClientBase, schema: string): Promise<boolean> {
  const found = await schemaOf(client, schema);
  if (found > latestSchema) throw newerSchema(found, latestSchema);
  const [next] = stepsAfter(found);
  if (!next) return false;
  if (found === 0) {
    await client.query(`create schema if not exists "${schema}"`);
    await client.query(
      `create table holdfast_schema (
        id bigint primary key,
        name text not null,
        applied_at timestamptz not null default now()
      )`,
    );
  }
  await client.query(spell(next.schema, 'postgres'));
  await client.query('insert into holdfast_schema (id, name) values ($1, $2)', [next.id, next.name]);
  return true;
}

/**
 * Everything here is Unicode; another encoding would take the tables and refuse the first character it does
 * not have.
 */
export async function refuseEncoding(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ server_encoding: string }>('show server_encoding');
  if (rows[0]!.server_encoding !== 'UTF8') throw foreignEncoding(rows[0]!.server_encoding);
}

/** 0 for a schema that is missing or empty; a schema with tables but without our mark is somebody else's. */
export async function schemaOf(client: ClientBase, schema: string): Promise<number> {
  const { rows } = await client.query<{ relname: string }>(
    `select c.relname
     from pg_class c
     join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind in ('r', 'v', 'm', 'p')`,
    [schema],
  );
  if (rows.length === 0) return 0;
  if (!rows.some((row) => row.relname === 'holdfast_schema'))
    throw foreignDatabase(`The PostgreSQL schema "${schema}"`);
  const newest = await client.query<{ id: number | null }>('select max(id) as id from holdfast_schema');
  return newest.rows[0]?.id ?? 0;
}
