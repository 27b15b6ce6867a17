import type { ClientBase } from 'pg';
import { latestSchema, stepsAfter } from '../../migrations/list.ts';
import { foreignDatabase, newerSchema } from '../../migrations/refuse.ts';
import { spell } from '../../migrations/spell.ts';

/** What tells a schema of ours from somebody else's, made with the first step. */
const MARK = `
  create schema if not exists "SCHEMA";
  create table if not exists holdfast_schema (
    id bigint primary key,
    name text not null,
    applied_at timestamptz not null default now()
  )`;

/** Brings the schema up to date. Hubs that start together take turns on an advisory lock. */
export async function migrate(client: ClientBase, schema: string): Promise<number> {
  await client.query('select pg_advisory_lock(hashtextextended($1, 0))', [`holdfast:migrate:${schema}`]);
  try {
    const found = await schemaOf(client, schema);
    if (found > latestSchema) throw newerSchema(found, latestSchema);
    for (const { id, name, schema: text } of stepsAfter(found)) {
      await client.query('begin');
      try {
        if (found === 0) await client.query(MARK.replace('SCHEMA', schema));
        await client.query(spell(text, 'postgres'));
        await client.query('insert into holdfast_schema (id, name) values ($1, $2)', [id, name]);
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
