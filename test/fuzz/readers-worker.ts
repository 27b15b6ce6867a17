// Reads in a thread of its own: one that does not come back is seen, and ended, from outside.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parentPort, workerData } from 'node:worker_threads';
import { chanceOf } from './generate.ts';
import { fuzzReader, openCoverage } from './guided.ts';
import { READERS } from './readers.ts';

export type ReadersTask = Readonly<{ inputs: number; seed: number; shared: SharedArrayBuffer }>;

const { inputs, seed, shared } = workerData as ReadersTask;
const [state, kept] = [new Int32Array(shared, 0, 3), new Uint8Array(shared, 12)];
const folder = mkdtempSync(join(tmpdir(), 'holdfast-read-'));
const coverage = openCoverage();
const each = Math.ceil(inputs / READERS.length);
for (const [index, reader] of READERS.entries()) {
  const report = await fuzzReader({
    reader,
    inputs: each,
    chance: chanceOf(seed + index),
    folder,
    coverage,
    onInput(bytes) {
      kept.set(bytes.subarray(0, kept.length));
      state[1] = bytes.length;
      state[2] = index;
      Atomics.add(state, 0, 1);
    },
  });
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a port of a thread has none
  parentPort!.postMessage({ name: reader.name, ...report });
}
rmSync(folder, { recursive: true, force: true });
