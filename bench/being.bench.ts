import { rmSync } from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { recallFor } from '../src/features/being/memories.ts';
import type { NewScene } from '../src/features/being/scene.ts';
import { importRecords } from '../src/features/being/transfer.ts';
import { newId } from '../src/kernel/ids.ts';
import { systemPrincipal } from '../src/kernel/principal.ts';
import { openDatabase } from '../src/store/open.ts';
import {
  addScenes,
  type BeingParts,
  changeBeing,
  makeBeing,
  openBeingParts,
  patrolNow,
} from '../test/fixtures/being-parts.ts';
import { memoryRecord } from './being-record.ts';
import { createCorpus } from './memory-corpus.ts';
import { freshFolder } from './process.ts';
import { atMost, median, p95, type Row } from './row.ts';

const NODES = Number(process.env['BENCH_NODES'] ?? 20_000);
const SCENES = 1_000;
export const title = `Beings: ${NODES} memories, a patrol of ${SCENES} scenes`;

export async function measure(): Promise<readonly Row[]> {
  const folder = freshFolder();
  const db = await openDatabase(join(folder, 'holdfast.db'));
  const parts = openBeingParts(db);
  const rows = [...(await measureRecall(parts, folder)), ...(await measurePatrol(parts, folder))];
  await db.close();
  rmSync(folder, { recursive: true });
  return rows;
}

async function measureRecall(parts: BeingParts, folder: string): Promise<Row[]> {
  const corpus = createCorpus();
  const { id } = await makeBeing(parts, 'large');
  const [root] = await parts.db.read((q) =>
    q.all<{ id: string }>({ text: 'select id from being_clusters where being_id = $1', params: [id] }),
  );
  const facts = Array.from({ length: NODES }, (_, i) => corpus.fact(i));
  for (let start = 0; start < NODES; start += 1_000) {
    const page = facts.slice(start, start + 1_000).map(({ content }) => memoryRecord(content, root!.id));
    await changeBeing(parts, id, (self) => importRecords(self, page));
  }
  const bare = new BetterSqlite3(join(folder, 'bare.db'));
  bare.exec(
    'create virtual table nodes using fts5(content); create table counts (id integer primary key, n integer)',
  );
  const insert = bare.prepare('insert into nodes (content) values (?)');
  bare.transaction(() => facts.forEach(({ content }) => insert.run(content)))();
  const select = bare.prepare(
    'select rowid, content from nodes where nodes match ? order by bm25(nodes) limit 3',
  );
  const who = { ...systemPrincipal, bound: { being: id } };
  const reached = parts.beings.reach({ who, via: 'tool' }, id);
  const [ours, theirs]: [number[], number[]] = [[], []];
  for (let i = 0; i < 250; i++) {
    const words = corpus.question();
    const started = spent();
    await recallFor(reached, words.join(' '));
    const between = spent();
    select.all(words.map((word) => `"${word}"`).join(' OR '));
    if (i >= 30) [ours[ours.length], theirs[theirs.length]] = [between - started, spent() - between];
  }
  bare.close();
  const [mine, plain] = [p95(ours), p95(theirs)];
  const what = `recall over ${NODES} memories with its counters, CPU p95, against the bare FTS5 query`;
  return [
    { what, ours: ms(mine), baseline: ms(plain), ratio: mine / plain, hold: atMost(6) },
    {
      what: 'the same, p50',
      ours: ms(median(ours)),
      baseline: ms(median(theirs)),
      ratio: median(ours) / median(theirs),
    },
  ];
}

/** Against what any program would have to do: insert as many rows with their words, in as many transactions. */
async function measurePatrol(parts: BeingParts, folder: string): Promise<Row[]> {
  const corpus = createCorpus(3);
  const { id } = await makeBeing(parts, 'busy');
  const scenes: NewScene[] = Array.from({ length: SCENES }, (_, i) => ({
    action: corpus.fact(i).content,
    actors: ['Mika'],
    when: ['2026-04-14'],
    themes: [`topic ${i % 40}`],
  }));
  await addScenes(parts, id, scenes);
  const started = spent();
  const { stats } = await patrolNow(parts, id);
  const took = spent() - started;
  if (stats['nodes_created'] !== SCENES)
    throw new Error(`the patrol made ${stats['nodes_created']} memories`);
  const bare = new BetterSqlite3(join(folder, 'bare-patrol.db'));
  bare.pragma('journal_mode = wal');
  bare.pragma('synchronous = full');
  bare.exec(
    'create virtual table words using fts5(content); create table nodes (id text primary key, scene text)',
  );
  const [word, node] = [
    bare.prepare('insert into words (content) values (?)'),
    bare.prepare('insert into nodes values (?, ?)'),
  ];
  const page = bare.transaction((some: readonly NewScene[]) => {
    for (const scene of some) {
      word.run(scene.action);
      node.run(newId(), JSON.stringify(scene));
    }
  });
  const before = spent();
  for (let i = 0; i < SCENES; i += 100) page(scenes.slice(i, i + 100));
  const plain = spent() - before;
  bare.close();
  return [
    {
      what: `patrol of ${SCENES} scenes, all steps, CPU, against inserting them`,
      ours: ms(took),
      baseline: ms(plain),
      ratio: took / plain,
    },
    {
      what: 'the same, per scene, against 4 ms',
      ours: ms(took / SCENES),
      baseline: '4.0 ms',
      ratio: took / SCENES / 4,
      hold: atMost(1),
    },
  ];
}

/** CPU, which a busy machine does not stretch. */
const spent = (): number => process.cpuUsage().user / 1000 + process.cpuUsage().system / 1000;
const ms = (value: number): string => `${value.toFixed(1)} ms`;
