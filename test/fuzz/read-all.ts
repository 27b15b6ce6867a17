import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { type Found, type GuidedReport, LONGEST_WAIT_MS } from './guided.ts';
import { READERS } from './readers.ts';
import type { ReadersTask } from './readers-worker.ts';

const KEPT_BYTES = 256 * 1024;
const LONGEST_KEPT = 8 * 1024;
const corpus = join(import.meta.dirname, 'corpus');

type Told = GuidedReport & Readonly<{ name: string }>;
export type ReadAll = Readonly<{ sent: number; seeds: number; failures: readonly string[] }>;

/** Every reader, guided by coverage. What breaks one is kept in the corpus, which `npm test` reads again. */
export function readAll(inputs: number, seed: number): Promise<ReadAll> {
  const shared = new SharedArrayBuffer(12 + KEPT_BYTES);
  const task: ReadersTask = { inputs, seed, shared };
  const worker = new Worker(new URL('readers-worker.ts', import.meta.url), { workerData: task });
  const told: Told[] = [];
  const failures: string[] = [];
  worker.on('message', (report: Told) => {
    told.push(report);
    for (const found of report.found) failures.push(keepCase(report.name, found));
  });
  return new Promise((resolve, reject) => {
    const watch = watchOver(shared, (name, bytes) => {
      failures.push(keepCase(name, { why: `${name} did not come back`, bytes }));
      void worker.terminate();
    });
    worker.on('error', reject);
    worker.on('exit', () => {
      clearInterval(watch);
      const sum = (of: (report: Told) => number) => told.reduce((all, report) => all + of(report), 0);
      resolve({ sent: sum(({ sent }) => sent), seeds: sum(({ seeds }) => seeds), failures });
    });
  });
}

/** Who does not come back is ended from outside. */
function watchOver(shared: SharedArrayBuffer, onHang: (name: string, bytes: Buffer) => void): NodeJS.Timeout {
  const state = new Int32Array(shared, 0, 3);
  let seen = { number: 0, at: performance.now() };
  return setInterval(() => {
    const number = Atomics.load(state, 0);
    if (number !== seen.number) seen = { number, at: performance.now() };
    else if (number > 0 && performance.now() - seen.at > LONGEST_WAIT_MS)
      onHang(READERS[state[2]!]!.name, Buffer.from(new Uint8Array(shared, 12, state[1])));
  }, 500);
}

/** A long one is laid aside: in the repository stands how it is made. */
function keepCase(name: string, { why, bytes }: Found): string {
  const isLong = bytes.length > LONGEST_KEPT;
  const folder = join(isLong ? tmpdir() : corpus, name);
  const file = join(folder, createHash('sha256').update(bytes).digest('hex').slice(0, 12));
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, bytes);
  return `${why}\n  kept as ${file}${isLong ? '; say in made-cases.ts how it is made' : ''}`;
}
