import { readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { systemActor } from '../../src/kernel/principal.ts';
import { APPLICATION_ID } from '../../src/store/dialects/sqlite/file.ts';
import { latestSchema } from '../../src/store/migrations/list.ts';
import { spell } from '../../src/store/migrations/spell.ts';
import { sql } from '../../src/store/sql.ts';
import { eachEngine, emptyPlace, type Place } from '../fixtures/databases.ts';

const schema29 = (engine: string) =>
  readFileSync(new URL(`../fixtures/schema-29/${engine}.sql`, import.meta.url), 'utf8');

/** Lays down a database as a program of then left it, with one thing to remember. */
async function layDown(place: Place, version: number): Promise<void> {
  if (place.engine === 'sqlite') {
    const file = new BetterSqlite3(place.location);
    file.pragma('journal_mode = wal');
    file.pragma(`application_id = ${APPLICATION_ID}`);
    file.exec(schema29('sqlite'));
    file.exec("insert into counters (name, value) values ('mine', 42)");
    file.pragma(`user_version = ${version}`);
    file.close();
    return;
  }
  await onServer(place, async (client) => {
    await client.query(`create schema ${place.schema}`);
    await client.query(`set search_path to ${place.schema}`);
    await client.query(schema29('postgres'));
    await client.query("insert into counters (name, value) values ('mine', 42)");
    await client.query(`update holdfast_schema set id = ${version}`);
  });
}

async function onServer<T>(place: Place, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(place.location);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Everything the engine knows of the tables, in words that do not depend on the order they were made in. */
async function catalogueOf(place: Place): Promise<unknown> {
  if (place.engine === 'sqlite') {
    const file = new BetterSqlite3(place.location, { readonly: true });
    try {
      const all = (text: string) => file.prepare(text).all() as { name: string; sql: string | null }[];
      const tables = all("select name, sql from sqlite_master where type = 'table' order by name");
      return {
        tables: tables.map(({ name, sql: text }) => ({
          name,
          columns: file
            .prepare(`select name, type, "notnull", dflt_value, pk from pragma_table_info(?) order by name`)
            .all(name),
          isStrict: /\)\s*strict/i.test(text ?? ''),
          isRowless: /without rowid/i.test(text ?? ''),
          links: file
            .prepare('select "from", "table", "to" from pragma_foreign_key_list(?) order by 1')
            .all(name),
          unique: file
            .prepare(`select origin, (select group_concat(name) from pragma_index_info(list.name)) as columns
                      from pragma_index_list(?) as list where "unique" = 1 order by 1, 2`)
            .all(name),
        })),
        indexes: all(
          "select name, sql from sqlite_master where type = 'index' and sql is not null order by name",
        ).map(({ sql: text }) => text!.toLowerCase().replace(/\s+/g, ' ')),
      };
    } finally {
      file.close();
    }
  }
  return onServer(place, async (client) => {
    const ask = async (text: string) => (await client.query(text, [place.schema])).rows as object[];
    return {
      columns: await ask(`
        select table_name, column_name, data_type, collation_name, is_nullable, column_default, is_identity
        from information_schema.columns where table_schema = $1 order by 1, 2`),
      constraints: (
        await ask(`
        select conrelid::regclass::text as of, pg_get_constraintdef(c.oid) as def
        from pg_constraint c join pg_namespace n on n.oid = c.connamespace
        where n.nspname = $1 and contype <> 'n' order by 1, 2`)
      ).map((row) => JSON.stringify(row).replaceAll(`${place.schema}.`, '')),
      indexes: (await ask('select indexdef from pg_indexes where schemaname = $1'))
        // The index of a constraint keeps the name its table once had.
        .map((row) =>
          JSON.stringify(row)
            .replaceAll(`${place.schema}.`, '')
            .replace(/\w+_pkey/, 'pkey'),
        )
        .sort(),
    };
  });
}

eachEngine('a database of schema 29', (engine) => {
  it('opens as it is, with what was in it, and has the tables of a fresh one', async () => {
    const old = await emptyPlace(engine);
    await layDown(old, 29);
    const db = await old.open();
    expect(db.schema).toBe(latestSchema);
    expect(await db.read((q) => q.get(sql`select value from counters where name = 'mine'`))).toEqual({
      value: 42,
    });
    await db.write(systemActor, async (tx) => tx.emit({ kind: 'a', subject: 's', realm: 'hub' }));
    expect(await db.feed.head()).toBe(1);
    await db.close();

    const fresh = await emptyPlace(engine);
    await (await fresh.open()).close();
    expect(await catalogueOf(old)).toEqual(await catalogueOf(fresh));
  });

  it('is the oldest that opens: 28 is refused with a sentence, and nothing is changed', async () => {
    const old = await emptyPlace(engine);
    await layDown(old, 28);
    const before = await catalogueOf(old);
    await expect(old.open()).rejects.toMatchObject({
      code: 'unavailable',
      message: 'The database has schema 28, which is older than the first this program knows, 29.',
      details: { retryable: false },
    });
    expect(await catalogueOf(old)).toEqual(before);
  });
});

it('a file of then is copied before it is changed, for its owner alone; a start with nothing to change copies nothing', async () => {
  const old = await emptyPlace('sqlite');
  await layDown(old, 29);
  const copies = () => {
    const { dir, base } = parse(old.location);
    return readdirSync(dir).filter((name) => name.startsWith(`${base}.schema-29.`));
  };
  await (await old.open()).close();
  const [copy, ...others] = copies();
  expect(others).toEqual([]);
  const path = join(dirname(old.location), copy!);
  expect(statSync(path).mode & 0o777).toBe(0o600);
  const file = new BetterSqlite3(path, { readonly: true });
  expect(file.pragma('user_version', { simple: true })).toBe(29);
  expect(file.prepare("select value from counters where name = 'mine'").pluck().get()).toBe(42);
  file.close();
  await (await old.open()).close();
  expect(copies()).toEqual([copy]);
});

describe('the one spelling', () => {
  const table =
    'create table t (\n  id exact primary key,\n  n int not null,\n  @postgres w tsvector,\n  b bytes\n) rowless;';

  it('is written for each engine', () => {
    expect(spell(table, 'sqlite')).toBe(
      'create table t (\n  id text primary key,\n  n integer not null,\n  b blob\n) strict, without rowid;',
    );
    expect(spell(table, 'postgres')).toBe(
      'create table t (\n  id text collate "C" primary key,\n  n bigint not null,\nw tsvector,\n  b bytea\n);',
    );
  });

  it('is written for a column that comes later', () => {
    expect(spell('alter table t add column d exact;', 'postgres')).toBe(
      'alter table t add column d text collate "C";',
    );
    expect(spell('alter table t add column d int not null default 0;', 'sqlite')).toBe(
      'alter table t add column d integer not null default 0;',
    );
  });
});
