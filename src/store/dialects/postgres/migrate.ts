import type { ClientBase } from 'pg';
import { latestSchema, migrations } from '../../migrations/list.ts';
import { foreignDatabase, newerSchema } from '../../migrations/refuse.ts';

/** Brings the schema up to date. Hubs that start together take turns on an advisory lock. */
export async function migrate(client: ClientBase, schema: string): Promise<number> {
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`holdfast:migrate:${schema}`]);
  try {
    const found = await schemaOf(client, schema);
    if (found > latestSchema) throw newerSchema(found, latestSchema);
    for (const migration of migrations.filter((step) => step.id > found)) {
      await client.query('begin');
      try {
        if (migration.id === 1) await client.query(`create schema if not exists "${schema}"`);
        if (migration.id === 1) {
          await client.query(
            'create table holdfast_schema (id bigint primary key, name text not null, applied_at timestamptz not null default now())',
          );
        }
        await client.query(migration.postgres);
        await client.query('insert into holdfast_schema (id, name) values ($1, $2)', [
          migration.id,
          migration.name,
        ]);
        await client.query('commit');
      } catch (thrown) {
        await client.query('rollback');
        throw thrown;
      }
    }
    return latestSchema;
  } finally {
    await client.query('select pg_advisory_unlock(hashtextextended($1, 0))', [`holdfast:migrate:${schema}`]);
  }
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
