import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  copyFileSync,
  existsSync,
  linkSync,
  readFileSync,
  readdirSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import { describe, expect, inject, it, onTestFinished } from 'vitest';
import { systemActor } from '../../src/kernel/principal.ts';
import { inspectPostgres } from '../../src/store/dialects/postgres/inspect.ts';
import { takeHubLock } from '../../src/store/dialects/sqlite/hub-lock.ts';
import { inspectSqlite } from '../../src/store/dialects/sqlite/inspect.ts';
import { latestSchema } from '../../src/store/migrations/list.ts';
import { openDatabase } from '../../src/store/open.ts';
import { sql } from '../../src/store/sql.ts';
import { eachEngine, freshFolder, emptyPlace } from '../fixtures/databases.ts';

eachEngine('opening', (engine) => {
  it('makes a fresh database with the newest schema, and finds it again', async () => {
    const place = await emptyPlace(engine);
    const db = await place.open();
    expect(db.schema).toBe(latestSchema);
    await db.write(systemActor, async (tx) => tx.emit({ kind: 'a', subject: 's', realm: 'hub' }));
    await db.close();
    const again = await place.open();
    expect(again.schema).toBe(latestSchema);
    expect(await again.feed.head()).toBe(1);
  });

  it('is safe when eight processes open the same fresh place at once', async () => {
    const place = await emptyPlace(engine);
    const opened = await Promise.all(Array.from({ length: 8 }, () => place.open({ poolSize: 1 })));
    await Promise.all(
      opened.map((db) =>
        db.write(systemActor, async (tx) => tx.emit({ kind: 'a', subject: 's', realm: 'hub' })),
      ),
    );
    expect(await opened[0]!.feed.head()).toBe(8);
  });

  it('refuses a database of a newer program and leaves it as it was', async () => {
    const place = await emptyPlace(engine);
    await (await place.open()).close();
    if (engine === 'sqlite') raw(place.location, (db) => db.pragma('user_version = 999'));
    else
      await query(
        place.location,
        `insert into ${place.schema}.holdfast_schema (id, name) values (999, 'future')`,
      );
    await expect(place.open()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('schema 999'),
    });
  });
});

describe('opening a SQLite file', () => {
  it('keeps the file and its folder to their owner', async () => {
    const path = join(freshFolder(), 'deep', 'holdfast.db');
    await (await openDatabase(path)).close();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, '..')).mode & 0o777).toBe(0o700);
  });

  it.each([
    [
      'the database of another program',
      (path: string) => raw(path, (db) => db.exec('create table theirs (x); insert into theirs values (1)')),
    ],
    [
      'another program’s database in WAL mode',
      (path: string) => raw(path, (db) => db.exec('pragma journal_mode = wal; create table theirs (x)')),
    ],
    ['a text file', (path: string) => writeFileSync(path, 'notes that nobody wants to lose\n'.repeat(20))],
    ['a short file', (path: string) => writeFileSync(path, 'x')],
    [
      'random bytes',
      (path: string) =>
        writeFileSync(path, Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 251))),
    ],
  ])('refuses %s without touching anything', async (_, make) => {
    const folder = freshFolder();
    const path = join(folder, 'theirs.db');
    make(path);
    const before = [readFileSync(path), readdirSync(folder)];
    await expect(openDatabase(path)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('another program'),
    });
    expect([readFileSync(path), readdirSync(folder)]).toEqual(before);
  });

  it('refuses a truncated database and leaves it as it was', async () => {
    const path = join(freshFolder(), 'holdfast.db');
    const db = await openDatabase(path);
    await db.write(systemActor, (tx) =>
      tx.run(sql`insert into counters (name, value) values (${'x'.repeat(20_000)}, 1)`),
    );
    await db.close();
    truncateSync(path, 8192);
    const before = readFileSync(path);
    await expect(openDatabase(path)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('damaged'),
    });
    expect(readFileSync(path)).toEqual(before);
  });

  it('opens what was killed in the middle of a checkpoint, with everything that was acknowledged', async () => {
    const path = await killedInCheckpoint(freshFolder());
    expect(inspectSqlite(path).counts['counters']).toBeGreaterThan(1);
    const db = await openDatabase(path);
    onTestFinished(() => db.close());
    expect(await db.read((q) => q.get(sql`select value from counters where name like 'x%'`))).toEqual({
      value: 7,
    });
  });

  it('refuses a truncated file whose log does not have what is missing either', async () => {
    const path = await killedInCheckpoint(freshFolder());
    truncateSync(path, 8192);
    await expect(openDatabase(path)).rejects.toMatchObject({ message: expect.stringContaining('damaged') });
  });

  it('refuses a file with a second name, and changes nothing', async () => {
    const folder = freshFolder();
    const [path, other] = [join(folder, 'holdfast.db'), join(folder, 'other.db')];
    await (await openDatabase(path)).close();
    linkSync(path, other);
    const before = readdirSync(folder);
    for (const open of [() => openDatabase(other), async () => takeHubLock(other)])
      await expect(open()).rejects.toMatchObject({
        code: 'conflict',
        message: expect.stringContaining('2 names'),
      });
    expect(readdirSync(folder)).toEqual(before);
  });

  it('refuses a database whose pages are garbage', async () => {
    const path = join(freshFolder(), 'holdfast.db');
    await (await openDatabase(path)).close();
    const bytes = readFileSync(path);
    bytes.fill(0xee, 100);
    writeFileSync(path, bytes);
    await expect(openDatabase(path)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('damaged'),
    });
    expect(readFileSync(path)).toEqual(bytes);
  });

  it('says clearly when the place cannot be written to', async () => {
    await expect(openDatabase('/dev/null/holdfast.db')).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('cannot be opened'),
    });
    const folder = freshFolder();
    writeFileSync(join(folder, 'file'), '');
    await expect(openDatabase(join(folder, 'file', 'holdfast.db'))).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(openDatabase(folder)).rejects.toMatchObject({ code: 'unavailable' });
  });

  it('can be copied as one file after it was closed', async () => {
    const folder = freshFolder();
    const db = await openDatabase(join(folder, 'holdfast.db'));
    await db.write(systemActor, async (tx) => tx.emit({ kind: 'a', subject: 's', realm: 'hub' }));
    await db.close();
    copyFileSync(join(folder, 'holdfast.db'), join(folder, 'copy.db'));
    const copy = await openDatabase(join(folder, 'copy.db'));
    expect(await copy.feed.head()).toBe(1);
    await copy.close();
  });
});

describe('the hub lock', () => {
  it('is held by one hub and free again when that one ends', () => {
    const path = join(freshFolder(), 'holdfast.db');
    const lock = takeHubLock(path);
    expect(() => takeHubLock(path)).toThrow(/Another hub is running/);
    lock.release();
    takeHubLock(path).release();
  });

  it('is one lock for every symbolic link to the file, also before the file is there', () => {
    const folder = freshFolder();
    const path = join(folder, 'holdfast.db');
    symlinkSync('holdfast.db', join(folder, 'link.db'));
    symlinkSync(folder, join(folder, 'folder'));
    const lock = takeHubLock(join(folder, 'link.db'));
    for (const name of [path, join(folder, 'folder', 'holdfast.db'), join(folder, 'folder', 'link.db')])
      expect(() => takeHubLock(name), name).toThrow(/Another hub is running/);
    lock.release();
    expect(readdirSync(folder).sort()).toEqual(['folder', 'holdfast.db.lock', 'link.db']);
  });

  it('is freed at once when the process that holds it is killed', async () => {
    const path = join(freshFolder(), 'holdfast.db');
    const script = `
      import { takeHubLock } from ${JSON.stringify(new URL('../../src/store/dialects/sqlite/hub-lock.ts', import.meta.url).href)};
      takeHubLock(process.argv[1]);
      // A lock that nobody keeps a handle of must outlive a collection.
      await new Promise((resolve) => setImmediate(resolve));
      globalThis.gc();
      await new Promise((resolve) => setImmediate(resolve));
      console.log('held');
      setInterval(() => {}, 1000);`;
    const holder = spawn(
      process.execPath,
      ['--expose-gc', '--input-type=module', '--no-warnings', '-e', script, path],
      {
        stdio: ['ignore', 'pipe', 'ignore'],
      },
    );
    onTestFinished(() => void holder.kill('SIGKILL'));
    await once(holder.stdout, 'data');
    expect(() => takeHubLock(path)).toThrow(/Another hub is running/);
    const gone = once(holder, 'exit');
    holder.kill('SIGKILL');
    await gone;
    takeHubLock(path).release();
    expect(existsSync(`${path}.lock`)).toBe(true);
  });
});

describe('opening a PostgreSQL schema', () => {
  it('refuses a schema that holds the tables of another program', async () => {
    const place = await emptyPlace('postgres');
    await query(place.location, `create schema ${place.schema}; create table ${place.schema}.theirs (x int)`);
    await expect(place.open()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('another program'),
    });
  });

  it('refuses a database that cannot store every character, before it makes anything there', async () => {
    const url = new URL(inject('postgresUrl'));
    const name = `latin_${process.pid}`;
    await query(url.href, `create database ${name} encoding 'LATIN1' locale 'C' template template0`);
    onTestFinished(() => query(inject('postgresUrl'), `drop database ${name} with (force)`));
    url.pathname = `/${name}`;
    const refusal = {
      code: 'unavailable',
      isRetryable: false,
      message: 'The PostgreSQL database stores text as LATIN1, not as UTF8.',
    };
    await expect(openDatabase(url.href)).rejects.toMatchObject(refusal);
    await expect(inspectPostgres(url.href, 'holdfast')).rejects.toMatchObject(refusal);
  });

  it('says clearly that a server is not there, without its password', async () => {
    const error = (await openDatabase('postgres://ada:hunter2@127.0.0.1:1/none', { patienceMs: 0 }).catch(
      (thrown: unknown) => thrown,
    )) as Error;
    expect(error).toMatchObject({
      code: 'unavailable',
      message: 'The PostgreSQL database cannot be opened.',
    });
    expect(JSON.stringify(error)).not.toContain('hunter2');
  });
});

/**
 * A copy of a database as SIGKILL leaves it inside a checkpoint that makes the file longer: the first page, which is
 * copied first, says how long the file will be, and the rest is still in the log.
 */
async function killedInCheckpoint(folder: string): Promise<string> {
  const [living, path] = [join(folder, 'living.db'), join(folder, 'killed.db')];
  await (await openDatabase(living)).close();
  const db = await openDatabase(living);
  onTestFinished(() => db.close());
  await db.write(systemActor, (tx) =>
    tx.run(sql`insert into counters (name, value) values (${'x'.repeat(500_000)}, 7)`),
  );
  const log = readFileSync(`${living}-wal`);
  const pageSize = log.readUInt32BE(8);
  const bytes = readFileSync(living);
  for (let at = 32; at + 24 + pageSize <= log.length; at += 24 + pageSize)
    if (log.readUInt32BE(at) === 1) log.copy(bytes, 0, at + 24, at + 24 + pageSize);
  writeFileSync(path, bytes);
  writeFileSync(`${path}-wal`, log);
  return path;
}

function raw(path: string, work: (db: BetterSqlite3.Database) => unknown): void {
  const db = new BetterSqlite3(path);
  try {
    work(db);
  } finally {
    db.close();
  }
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query(text);
  await client.end();
}
