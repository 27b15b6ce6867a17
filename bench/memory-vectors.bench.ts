import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { systemActor } from '../src/kernel/principal.ts';
import { putVector } from '../src/recall/vectors/rows.ts';
import { createVectorIndex } from '../src/recall/vectors/vector-index.ts';
import type { Database } from '../src/store/database.ts';
import { openDatabase } from '../src/store/open.ts';
import { createCorpus } from './memory-corpus.ts';
import { fillFacts } from './memory-store.ts';
import { freshFolder } from './process.ts';
import { atMost, median, type Row } from './row.ts';

export const title = 'Memory by meaning: 100,000 vectors of 384 dimensions';

const FACTS = Number(process.env['BENCH_FACTS'] ?? 100_000);
const DIMS = 384;

export async function measure(): Promise<readonly Row[]> {
  const folder = freshFolder();
  const db = await openDatabase(join(folder, 'memory.db'));
  await fillFacts(db, FACTS);
  const rows = await measureVectors(db);
  await db.close();
  rmSync(folder, { recursive: true });
  return rows;
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
