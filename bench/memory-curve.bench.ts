import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import pg from 'pg';
import type { Database } from '../src/store/database.ts';
import { openDatabase } from '../src/store/open.ts';
import { createCorpus } from './memory-corpus.ts';
import { asker, deskOf, fillFacts } from './memory-store.ts';
import { freshFolder } from './process.ts';
import { atMost, type Row } from './row.ts';

export const title =
  'memory_search: CPU by the number of facts, against the bare full-text query of the engine';

/**
 * A million takes a while to fill: BENCH_SIZES=1000,10000,100000,1000000 measures it too. With BENCH_KEEP, a folder, the
 * stores stay, and the next run goes on filling where this one was ended.
 */
const SIZES = (process.env['BENCH_SIZES'] ?? '1000,10000,100000').split(',').map(Number);
const KEEP = process.env['BENCH_KEEP'];
/** A hub runs for days; what counts is what a search costs once its code is compiled. In a million the disk counts, not the code. */
const [QUESTIONS, WARM_UP] = [2_100, 1_500];
const [QUESTIONS_TO_MILLION, WARM_UP_TO_MILLION] = [260, 60];

type Bare = Readonly<{ ask(words: readonly string[]): Promise<void>; close(): Promise<void> }>;

export async function measure(): Promise<readonly Row[]> {
  const rows: Row[] = [];
  if (process.env['BENCH_ENGINE'] !== 'postgres')
    for (const size of SIZES) rows.push(...(await measureSqlite(size)));
  const url = process.env['BENCH_POSTGRES'];
  if (url !== undefined) for (const size of SIZES) rows.push(...(await measurePostgres(url, size)));
  return rows;
}

async function measureSqlite(size: number): Promise<Row[]> {
  const folder = KEEP === undefined ? freshFolder() : join(KEEP, String(size));
  mkdirSync(folder, { recursive: true });
  const db = await openDatabase(join(folder, 'memory.db'));
  await fillFacts(db, size);
  rmSync(join(folder, 'bare.db'), { force: true });
  const file = new BetterSqlite3(join(folder, 'bare.db'));
  file.pragma('journal_mode = wal');
  file.exec('create virtual table facts using fts5(title, content)');
  const insert = file.prepare('insert into facts (title, content) values (?, ?)');
  const corpus = createCorpus();
  file.transaction(() => {
    for (let i = 0; i < size; i++) {
      const fact = corpus.fact(i);
      insert.run(fact.title, fact.content);
    }
  })();
  const select = file.prepare(
    'select rowid, title, content, bm25(facts) as score from facts where facts match ? order by score limit 10',
  );
  const bare: Bare = {
    ask: (words) => Promise.resolve(void select.all(words.map((word) => `"${word}"`).join(' OR '))),
    close: () => Promise.resolve(void file.close()),
  };
  const rows = await compare(`SQLite, ${size} facts`, db, bare);
  await db.close();
  if (KEEP === undefined) rmSync(folder, { recursive: true });
  return rows;
}

/**
 * The server's work is not ours to measure from here, so on PostgreSQL it is the time until the answer, one at a time; and
 * of the CPU what the hub takes.
 */
async function measurePostgres(url: string, size: number): Promise<Row[]> {
  const db = await openDatabase(url, {
    schema: KEEP === undefined ? `curve_${size}_${process.pid}` : `curve_${size}`,
  });
  await fillFacts(db, size);
  const client = new pg.Client(url);
  await client.connect();
  await fillBare(client, size);
  const ask = async (words: readonly string[]): Promise<void> => {
    const query = words.join(' | ');
    await client.query(
      `select id, title, content, ts_rank(words, q) as score from ${bareOf(size)}, to_tsquery('simple', $1) q where words @@ q order by score desc limit 10`,
      [query],
    );
  };
  const rows = await compare(`PostgreSQL, ${size} facts`, db, { ask, close: () => client.end() });
  await db.close();
  return rows;
}

/** Kept with the rest; else it goes with its connection. */
const bareOf = (size: number): string => (KEEP === undefined ? 'bare' : `curve_${size}.bare`);

async function fillBare(client: pg.Client, size: number): Promise<void> {
  const name = bareOf(size);
  const isTemporary = KEEP === undefined ? 'temporary' : '';
  await client.query(
    `create ${isTemporary} table if not exists ${name} (id bigint, title text, content text, words tsvector)`,
  );
  const there = await client.query<{ count: string }>(`select count(*) as count from ${name}`);
  if (Number(there.rows[0]!.count) === size) return;
  await client.query(`truncate ${name}`);
  const corpus = createCorpus();
  for (let start = 0; start < size; start += 1_000) {
    const facts = Array.from({ length: Math.min(1_000, size - start) }, (_, i) => corpus.fact(start + i));
    await client.query(
      `insert into ${name} select row_number() over (), f->>'title', f->>'content', to_tsvector('simple', (f->>'title') || ' ' || (f->>'content')) from json_array_elements($1) f`,
      [JSON.stringify(facts)],
    );
  }
  await client.query(`create index on ${name} using gin (words)`);
}

async function compare(what: string, db: Database, bare: Bare): Promise<Row[]> {
  const desk = deskOf(db);
  const corpus = createCorpus(5);
  const isMillion = /\b1000000 facts/.test(what);
  const length = isMillion ? QUESTIONS_TO_MILLION : QUESTIONS;
  const warmUp = isMillion ? WARM_UP_TO_MILLION : WARM_UP;
  const questions = Array.from({ length }, () => corpus.question());
  const search = async (words: readonly string[]) =>
    void (await desk.search(asker, { query: words.join(' ') }));
  const ours = await spend(questions, warmUp, search);
  const theirs = await spend(questions, warmUp, bare.ask);
  await bare.close();
  const ms = (value: number): string => `${value.toFixed(2)} ms`;
  const measured = db.engine === 'sqlite' ? 'cpu' : 'time';
  const isSmall = /\b1000 facts/.test(what);
  // The way to a server and back takes CPU too.
  const allowed = db.engine === 'sqlite' ? 0.8 : 1.5;
  return [
    {
      what,
      ours: ms(ours[measured]),
      baseline: ms(theirs[measured]),
      ratio: ours[measured] / theirs[measured],
      ...(/\b100000 facts/.test(what) && { hold: atMost(2) }),
      ...(isMillion && { hold: atMost(1) }),
    },
    ...(isSmall
      ? [
          {
            what: `${what}, CPU of the hub against ${allowed} ms`,
            ours: ms(ours.cpu),
            baseline: ms(allowed),
            ratio: ours.cpu / allowed,
            hold: atMost(1),
          },
        ]
      : []),
  ];
}

type Spent = Readonly<{ cpu: number; time: number }>;

/** Per question, in milliseconds. On SQLite the engine runs in this process, so its CPU is all there is. */
async function spend(
  questions: readonly (readonly string[])[],
  warmUp: number,
  ask: Bare['ask'],
): Promise<Spent> {
  for (const words of questions.slice(0, warmUp)) await ask(words);
  const [started, before] = [performance.now(), process.cpuUsage()];
  for (const words of questions.slice(warmUp)) await ask(words);
  const { user, system } = process.cpuUsage(before);
  const count = questions.length - warmUp;
  return { cpu: (user + system) / 1_000 / count, time: (performance.now() - started) / count };
}
