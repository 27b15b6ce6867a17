// Databases that are full. What is kept is copied before anybody asks it, so that every run finds the same.
import { constants, copyFileSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { openDatabase } from '../src/store/open.ts';
import { startPostgres } from '../test/fixtures/postgres-server.ts';
import { seed } from './growth-seed.ts';
import type { Engine } from './options.ts';
import { freshFolder } from './process.ts';

/** `facts` is also how many memories its Being has. */
export type Wanted = Readonly<{ engine: Engine; size: number; facts: number }>;
export type Seeded = Readonly<{
  home: string;
  location: string;
  isServer: boolean;
  /** 0 for what was there already. */
  seconds: number;
  close(): Promise<void>;
}>;

export function openSeeded(wanted: Wanted, keep: string | undefined): Promise<Seeded> {
  return wanted.engine === 'sqlite' ? onFile(wanted, keep) : onServer(wanted);
}

async function fill(location: string, { size, facts }: Wanted): Promise<number> {
  const begun = performance.now();
  const db = await openDatabase(location);
  await seed(db, size, facts);
  await db.close();
  // A server does so by itself, sooner or later; a hub on a file never does, and its plans are made without.
  if (db.engine === 'postgres') await order(location, 'vacuum analyze');
  return (performance.now() - begun) / 1_000;
}

async function onFile(wanted: Wanted, keep = freshFolder()): Promise<Seeded> {
  const home = freshFolder();
  mkdirSync(keep, { recursive: true });
  const [kept, location] = [
    join(keep, `growth-${wanted.size}-${wanted.facts}.db`),
    join(home, 'holdfast.db'),
  ];
  let seconds = 0;
  if (!existsSync(kept)) {
    rmSync(`${kept}.part`, { force: true });
    seconds = await fill(`${kept}.part`, wanted);
    renameSync(`${kept}.part`, kept);
  }
  copyFileSync(kept, location, constants.COPYFILE_FICLONE);
  const close = async (): Promise<void> => rmSync(home, { recursive: true, force: true });
  return { home, location, isServer: false, seconds, close };
}

/** With BENCH_POSTGRES, a server on this machine: what is seeded there stays, and is copied by the server. */
async function onServer(wanted: Wanted): Promise<Seeded> {
  const home = freshFolder();
  const given = process.env['BENCH_POSTGRES'];
  if (given === undefined) {
    const server = await startPostgres();
    const seconds = await fill(server.url, wanted);
    const stop = async (): Promise<void> => {
      await server.stop();
      rmSync(home, { recursive: true, force: true });
    };
    return { home, location: server.url, isServer: true, seconds, close: stop };
  }
  const [kept, copy] = [`growth_${wanted.size}_${wanted.facts}`, `growth_run_${process.pid}`];
  let seconds = 0;
  if (!(await hasDatabase(given, kept))) {
    await order(given, `drop database if exists ${kept}_part`, `create database ${kept}_part`);
    seconds = await fill(databaseOf(given, `${kept}_part`), wanted);
    await order(given, `alter database ${kept}_part rename to ${kept}`);
  }
  await order(given, `drop database if exists ${copy}`, `create database ${copy} template ${kept}`);
  const close = async (): Promise<void> => {
    await order(given, `drop database ${copy} with (force)`);
    rmSync(home, { recursive: true, force: true });
  };
  return { home, location: databaseOf(given, copy), isServer: true, seconds, close };
}

const databaseOf = (url: string, name: string): string => new URL(`/${name}`, url).href;

async function withClient<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(url);
  await client.connect();
  return work(client).finally(() => client.end());
}

const order = (url: string, ...statements: readonly string[]): Promise<void> =>
  withClient(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });

const hasDatabase = (url: string, name: string): Promise<boolean> =>
  withClient(url, async (client) => {
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    return rowCount === 1;
  });
