// The least anybody could do with an engine: no protocol, no event, no lease; one row for one thing. What is spent here and in the
// engine counts, on disk as ours is.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import { startPostgres } from '../test/fixtures/postgres-server.ts';
import { createCorpus } from './memory-corpus.ts';
import { freshFolder } from './process.ts';
import { installPackage } from './rivals.ts';
import { watchServer } from './server-cpu.ts';

/** Milliseconds of CPU each. */
export type Bare = Readonly<{
  name: string;
  save?: number;
  find?: number;
  create?: number;
  claim?: number;
}>;
export type Amounts = Readonly<{ saved: number; asked: number }>;

const CLAIM = `
  update tasks
  set status = 'in_progress', fence = fence + 1
  where id = (select id from tasks where status = 'todo' order by id limit 1)
  returning id`;

function spentHere(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

async function spend(count: number, step: (i: number) => unknown, cpu = spentHere): Promise<number> {
  const before = cpu();
  for (let i = 0; i < count; i += 1) await step(i);
  return (cpu() - before) / 1_000 / count;
}

export async function bareSqlite({ saved, asked }: Amounts): Promise<Bare> {
  const db = new BetterSqlite3(join(freshFolder(), 'bare.db'));
  db.pragma('journal_mode = wal');
  db.pragma('synchronous = full');
  db.exec(`create virtual table notes using fts5(title, content);
    create table tasks (id integer primary key, title text, status text, fence integer);
    create index tasks_todo on tasks (status, id)`);
  const insert = db.prepare('insert into notes values (?, ?)');
  const select = db.prepare(
    'select rowid, title, content from notes where notes match ? order by rank limit 10',
  );
  const add = db.prepare("insert into tasks (title, status, fence) values (?, 'todo', 0)");
  const take = db.prepare(CLAIM);
  const corpus = createCorpus();
  const figures = {
    name: 'bare SQLite',
    save: await spend(saved, (i) => insert.run(`note ${i}`, corpus.fact(i).content)),
    find: await spend(asked, () => select.all(`"${corpus.question()[0]!}"`)),
    create: await spend(saved, (i) => add.run(`task ${i}`)),
    claim: await spend(asked, () => take.all()),
  };
  db.close();
  return figures;
}

export async function barePostgres({ saved, asked }: Amounts): Promise<Bare> {
  const server = await startPostgres({ isSynced: true });
  const watched = await watchServer(server.url);
  const client = new pg.Client(server.url);
  await client.connect();
  try {
    await client.query(`create table notes (id bigserial primary key, title text, content text,
        words tsvector generated always as (to_tsvector('english', title || ' ' || content)) stored);
      create index notes_words on notes using gin (words);
      create table tasks (id bigserial primary key, title text, status text, fence bigint);
      create index tasks_todo on tasks (status, id)`);
    const cpu = (): number => spentHere() + watched.cpu();
    const ask = (name: string, text: string, values: readonly unknown[]) =>
      client.query({ name, text, values: [...values] });
    const corpus = createCorpus();
    const insert = 'insert into notes (title, content) values ($1, $2)';
    const select = `select id, title, content from notes, plainto_tsquery('english', $1) q
      where words @@ q order by ts_rank(words, q) desc limit 10`;
    const add = "insert into tasks (title, status, fence) values ($1, 'todo', 0)";
    return {
      name: 'bare PostgreSQL',
      save: await spend(saved, (i) => ask('save', insert, [`note ${i}`, corpus.fact(i).content]), cpu),
      find: await spend(asked, () => ask('find', select, [corpus.question()[0]!]), cpu),
      create: await spend(saved, (i) => ask('create', add, [`task ${i}`]), cpu),
      claim: await spend(asked, () => ask('claim', CLAIM.replace('limit 1', 'limit 1 for update'), []), cpu),
    };
  } finally {
    await client.end();
    await watched.close();
    await server.stop();
  }
}

type MiniSearch = new (options: object) => { add(note: object): void; search(query: string): unknown };

/** In memory alone: nothing of it is on disk. Undefined where it cannot be had. */
export async function miniSearch({ saved, asked }: Amounts): Promise<Bare | undefined> {
  const folder = await installPackage('minisearch', '7.2.0');
  if (folder === undefined) return undefined;
  const entry = pathToFileURL(join(folder, 'node_modules', 'minisearch', 'dist', 'es', 'index.js'));
  const { default: Index } = (await import(entry.href)) as { default: MiniSearch };
  const index = new Index({ fields: ['title', 'content'], storeFields: ['title', 'content'] });
  const corpus = createCorpus();
  return {
    name: 'minisearch, in memory',
    save: await spend(saved, (id) =>
      index.add({ id, title: `note ${id}`, content: corpus.fact(id).content }),
    ),
    find: await spend(asked, () => index.search(corpus.question()[0]!)),
  };
}
