import { rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import type { Database } from '../src/store/database.ts';
import { openDatabase } from '../src/store/open.ts';
import { hammer, modernCall } from './load.ts';
import { createCorpus } from './memory-corpus.ts';
import { asker, deskOf, fillFacts } from './memory-store.ts';
import { freshFolder, startHub } from './process.ts';
import { atMost, median, p95, type Row } from './row.ts';

export const title = 'Memory: searching among 1,000 and 100,000 facts, saving beside 100,000';

const FACTS = Number(process.env['BENCH_FACTS'] ?? 100_000);

export async function measure(): Promise<readonly Row[]> {
  const folder = freshFolder();
  const file = join(folder, 'memory.db');
  const db = await openDatabase(file);
  await fillFacts(db, FACTS);
  const rows = await measureSearch(db, folder);
  await db.close();
  rows.push(...(await measureSaves(file)), await measureThroughHub());
  rmSync(folder, { recursive: true });
  return rows;
}

/**
 * Many short rounds and their mean: whoever fills the log pays for copying it into the file, so it must fill in turns, and a
 * median would leave that work out. From round `LATE` on the long episode has more than 2,000 facts.
 */
const ROUNDS = 26;
const PER_ROUND = 200;
const WARM_UP = 4;
const LATE = 20;

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

/** Through the hub, as agents do it, 32 in flight: the hub's CPU per call, the two taking turns. */
async function measureSaves(file: string): Promise<Row[]> {
  const hub = await startHub({
    CLAWBOO_DB_PATH: file,
    HOLDFAST_LIMIT_ROOT_TASKS: '0',
    HOLDFAST_EMBEDDING: 'none',
  });
  const corpus = createCorpus(23);
  const cpu = async (server: string, calls: number, call: ReturnType<typeof modernCall>): Promise<number> => {
    const before = await hub.cpu();
    await hammer({ url: `${hub.address}/api/mcp/${server}`, total: calls, inFlight: 32, ...call });
    return ((await hub.cpu()) - before) / calls;
  };
  const create = modernCall('create_task', (i) => ({
    title: `task ${i}`,
    description: corpus.fact(i).content,
  }));
  const save = modernCall('memory_save', (i) => corpus.fact(FACTS + i));
  const grow = modernCall('memory_save', (i) => ({
    ...corpus.fact(i),
    tags: [],
    episode: 'one long episode',
  }));
  const spent = { create: [] as number[], save: [] as number[], grow: [] as number[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    spent.create.push(await cpu('tasks', PER_ROUND, create));
    spent.save.push(await cpu('memory', PER_ROUND, save));
    spent.grow.push(await cpu('memory', PER_ROUND / 2, grow));
  }
  await hub.stop();
  const [created, saved] = [mean(spent.create.slice(WARM_UP)), mean(spent.save.slice(WARM_UP))];
  const late = mean(spent.grow.slice(LATE));
  const early = mean(spent.grow.slice(WARM_UP, LATE));
  const us = (value: number): string => `${value.toFixed(0)} µs`;
  return [
    {
      what: `memory_save at ${FACTS} facts, against create_task`,
      ours: us(saved),
      baseline: us(created),
      ratio: saved / created,
      hold: atMost(2),
    },
    {
      what: 'past the 2,000th fact of one episode, against create_task',
      ours: us(late),
      baseline: us(created),
      ratio: late / created,
      hold: atMost(2),
    },
    {
      what: 'past the 2,000th fact of one episode, against its beginning',
      ours: us(late),
      baseline: us(early),
      ratio: late / early,
    },
  ];
}

async function measureSearch(db: Database, folder: string): Promise<Row[]> {
  const desk = deskOf(db);
  const corpus = createCorpus();
  const bare = new BetterSqlite3(join(folder, 'bare.db'));
  bare.pragma('journal_mode = wal');
  bare.exec('create virtual table facts using fts5(title, content)');
  const insert = bare.prepare('insert into facts (title, content) values (?, ?)');
  bare.transaction(() => {
    for (let i = 0; i < FACTS; i++) {
      const { title, content } = corpus.fact(i);
      insert.run(title, content);
    }
  })();
  const select = bare.prepare(
    'select rowid, title, content, bm25(facts) as score from facts where facts match ? order by score limit 10',
  );
  const questions = Array.from({ length: 300 }, () => corpus.question());
  const ours: number[] = [];
  const theirs: number[] = [];
  for (const [i, words] of questions.entries()) {
    const started = performance.now();
    await desk.search(asker, { query: words.join(' ') });
    const between = performance.now();
    select.all(words.map((word) => `"${word}"`).join(' OR '));
    if (i < 20) continue;
    ours.push(between - started);
    theirs.push(performance.now() - between);
  }
  bare.close();
  const ms = (value: number): string => `${value.toFixed(1)} ms`;
  return [
    {
      what: 'search p95, against the bare FTS5 query',
      ours: ms(p95(ours)),
      baseline: ms(p95(theirs)),
      ratio: p95(ours) / p95(theirs),
      hold: atMost(3),
    },
    {
      what: 'search p50, against the bare FTS5 query',
      ours: ms(median(ours)),
      baseline: ms(median(theirs)),
      ratio: median(ours) / median(theirs),
    },
  ];
}

/** A hub runs for days, so the first rounds are for the compiler; of the others the middle one, each of 400 questions. */
const [HUB_ROUNDS, HUB_WARM_UP, QUESTIONS] = [11, 4, 400];
const SMALL = 1_000;
const ALLOWED_MS = 0.8;

/** All that a hub does for one `memory_search` over HTTP among a thousand facts: protocol, guard, search, marks, answer. */
async function measureThroughHub(): Promise<Row> {
  const hub = await startHub({ HOLDFAST_EMBEDDING: 'none' });
  const url = `${hub.address}/api/mcp/memory`;
  const corpus = createCorpus();
  await hammer({ url, total: SMALL, inFlight: 8, ...modernCall('memory_save', (i) => corpus.fact(i)) });
  const asked = createCorpus(5);
  const spent: number[] = [];
  for (let round = 0; round < HUB_ROUNDS; round += 1) {
    const call = modernCall('memory_search', () => ({ query: asked.question().join(' ') }));
    const before = await hub.cpu();
    await hammer({ url, total: QUESTIONS, inFlight: 1, ...call });
    spent.push(((await hub.cpu()) - before) / QUESTIONS / 1_000);
  }
  await hub.stop();
  const ours = median(spent.slice(HUB_WARM_UP));
  return {
    what: `memory_search over HTTP at ${SMALL} facts, CPU of the hub against ${ALLOWED_MS} ms`,
    ours: `${ours.toFixed(2)} ms`,
    baseline: `${ALLOWED_MS.toFixed(2)} ms`,
    ratio: ours / ALLOWED_MS,
    hold: atMost(1),
  };
}
