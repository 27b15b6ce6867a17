import { rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { createMemoryDesk } from '../src/features/memory/memory.ts';
import { createActing } from '../src/store/calls.ts';
import { createFacts } from '../src/features/memory/facts.ts';
import { createUses } from '../src/features/memory/uses.ts';
import { systemClock } from '../src/kernel/clock.ts';
import { silentLog } from '../src/kernel/log.ts';
import { localPrincipal, systemActor } from '../src/kernel/principal.ts';
import { createMeaning } from '../src/recall/vectors/meaning.ts';
import { embeddingSettings } from '../src/recall/vectors/provider.ts';
import { putVector } from '../src/recall/vectors/rows.ts';
import { createVectorIndex } from '../src/recall/vectors/vector-index.ts';
import type { Database } from '../src/store/database.ts';
import { openDatabase } from '../src/store/open.ts';
import { hammer, modernCall } from './load.ts';
import { createCorpus } from './memory-corpus.ts';
import { freshFolder, startHub } from './process.ts';
import { atMost, median, type Row } from './row.ts';

export const title = 'Memory: 100,000 facts, 100,000 vectors of 384 dimensions';

const FACTS = Number(process.env['BENCH_FACTS'] ?? 100_000);
const DIMS = 384;
const who = localPrincipal('bench');

export async function measure(): Promise<readonly Row[]> {
  const folder = freshFolder();
  const file = join(folder, 'memory.db');
  const db = await openDatabase(file);
  await fill(db);
  const rows = [...(await measureSearch(db, folder)), ...(await measureVectors(db))];
  await db.close();
  rows.push(...(await measureSaves(file)));
  rmSync(folder, { recursive: true });
  return rows;
}

type Desk = ReturnType<typeof createMemoryDesk>;

function deskOf(db: Database): Desk {
  const meaning = createMeaning(db, embeddingSettings({ HOLDFAST_EMBEDDING: 'none' }), systemClock);
  return createMemoryDesk({
    db,
    facts: createFacts(),
    meaning,
    uses: createUses({ db, log: silentLog }),
    via: 'tool',
    acting: createActing(db),
  });
}

async function fill(db: Database): Promise<void> {
  const desk = deskOf(db);
  const corpus = createCorpus();
  let next = 0;
  await Promise.all(
    Array.from({ length: 64 }, async () => {
      while (next < FACTS) await desk.save(who, corpus.fact(next++));
    }),
  );
}

/**
 * Many short rounds and their mean: whoever fills the log pays for copying it into the file, so it must fill in turns, and a
 * median would leave that work out. From round `LATE` on the long episode has more than 2,000 facts.
 */
const ROUNDS = 45;
const PER_ROUND = 300;
const WARM_UP = 5;
const LATE = 15;

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
    await desk.search(who, { query: words.join(' ') });
    const between = performance.now();
    select.all(words.map((word) => `"${word}"`).join(' OR '));
    if (i < 20) continue;
    ours.push(between - started);
    theirs.push(performance.now() - between);
  }
  bare.close();
  const p95 = (values: readonly number[]): number =>
    values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.95)]!;
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

async function measureVectors(db: Database): Promise<Row[]> {
  const { random } = createCorpus(11);
  const numbers = await db.read(async (q) =>
    (
      await q.all<{ no: number }>({
        text: 'select no from recall_items order by no limit $1',
        params: [FACTS],
      })
    ).map((row) => row.no),
  );
  const unit = (): Float32Array => {
    const vector = Float32Array.from({ length: DIMS }, () => random() - 0.45);
    const length = Math.hypot(...vector);
    return vector.map((value) => value / length);
  };
  for (let start = 0; start < numbers.length; start += 1_000) {
    const page = numbers.slice(start, start + 1_000);
    await db.write(systemActor, async (tx) => {
      for (const number of page) await putVector(tx, 'bench', { number, vector: unit() });
    });
  }
  const openings: number[] = [];
  let index = createVectorIndex(db, 'bench', DIMS);
  for (let round = 0; round < 3; round += 1) {
    index = createVectorIndex(db, 'bench', DIMS);
    const started = process.cpuUsage();
    await index.refresh();
    const { user, system } = process.cpuUsage(started);
    openings.push((user + system) / 1_000);
  }
  const opened = median(openings);
  const spent: number[] = [];
  for (let i = 0; i < 60; i++) {
    const vector = unit();
    const before = process.cpuUsage();
    await db.read((q) => index.near(q, { vector, scopes: undefined, limit: 10 }));
    const { user, system } = process.cpuUsage(before);
    if (i >= 10) spent.push((user + system) / 1_000);
  }
  const cpu = median(spent);
  return [
    {
      what: `opening ${index.count} vectors, CPU, against 1.5 s`,
      ours: `${opened.toFixed(0)} ms`,
      baseline: '1500 ms',
      ratio: opened / 1_500,
      hold: atMost(1),
    },
    {
      what: 'vector search CPU, against 12 ms',
      ours: `${cpu.toFixed(1)} ms`,
      baseline: '12 ms',
      ratio: cpu / 12,
      hold: atMost(1),
    },
  ];
}
