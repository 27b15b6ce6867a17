import { readdirSync, statSync } from 'node:fs';
import { dirname, join, parse } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { systemActor } from '../../src/kernel/principal.ts';
import { latestSchema, stepsAfter } from '../../src/store/migrations/list.ts';
import { spell } from '../../src/store/migrations/spell.ts';
import { sql } from '../../src/store/sql.ts';
import { eachEngine, emptyPlace } from '../fixtures/databases.ts';
import { catalogueOf, layDown } from '../fixtures/old-database.ts';

/** A file is made and opened in a moment; to a server each schema is a second of work. `npm run promises -- upgrade` opens all of both. */
const isEvery = process.env['HOLDFAST_EVERY_SCHEMA'] !== undefined;

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

  it('is followed by others that open as well, each with what was in it', { timeout: 240_000 }, async () => {
    const fresh = await emptyPlace(engine);
    await (await fresh.open()).close();
    const expected = await catalogueOf(fresh);
    const steps = stepsAfter(29).filter(
      ({ id }) => engine === 'sqlite' || isEvery || (latestSchema - id) % 6 === 1,
    );
    for (const { id } of steps) {
      const old = await emptyPlace(engine);
      await layDown(old, id);
      const db = await old.open();
      expect(db.schema).toBe(latestSchema);
      const kept = await db.read((q) => q.get(sql`select value from counters where name = 'mine'`));
      expect(kept, `schema ${id}`).toEqual({ value: 42 });
      await db.close();
      expect(await catalogueOf(old), `schema ${id}`).toEqual(expected);
    }
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
