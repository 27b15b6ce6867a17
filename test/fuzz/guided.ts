// Inputs that reach a block of our code nobody reached before become seeds of the next: V8 counts the blocks.
import { Session } from 'node:inspector';
import { threadCpuMs } from '../fixtures/cpu.ts';
import type { Chance } from './generate.ts';
import { mutate } from './mutate.ts';
import { casesOf, judgeReading, type Reader } from './readers.ts';

const BATCH = 24;
const MOST_SEEDS = 400;
/** On a core: how long others have it meanwhile says nothing about the reader. */
export const LONGEST_READING_MS = 2_000;
/** By the clock, for a reader that waits without working: so much later than it may be that no busy machine is meant. */
export const LONGEST_WAIT_MS = 10 * LONGEST_READING_MS;

export type GuidedOptions = Readonly<{
  reader: Reader;
  inputs: number;
  chance: Chance;
  folder: string;
  /** Undefined: nobody counts, and the seeds stay what they were. */
  coverage?: Coverage | undefined;
  /** Told before it is read: who never comes back cannot tell. */
  onInput?: (bytes: Buffer) => void;
}>;
export type Found = Readonly<{ why: string; bytes: Buffer }>;
export type GuidedReport = Readonly<{ sent: number; seeds: number; found: readonly Found[] }>;

export async function fuzzReader(options: GuidedOptions): Promise<GuidedReport> {
  const { reader, inputs, chance, folder, coverage, onInput } = options;
  const seeds = [...reader.seeds, ...casesOf(reader)];
  /** One of a kind: the first two lines of its stack tell the kind. */
  const found = new Map<string, Found>();
  const read = async (bytes: Buffer) => {
    onInput?.(bytes);
    const why = await timedReading(reader, bytes, folder);
    if (why !== undefined) found.set(why.split('\n').slice(0, 2).join(), { why, bytes });
  };
  for (const bytes of seeds) await read(bytes);
  coverage?.takeNew();
  let sent = seeds.length;
  while (sent < inputs && found.size < 10) {
    const batch = Array.from({ length: Math.min(BATCH, inputs - sent) }, () => mutate(seeds, chance));
    for (const bytes of batch) await read(bytes);
    sent += batch.length;
    if (!coverage?.sawNew()) continue;
    // Which of them it was is asked one by one, only when there is something to find.
    for (const bytes of batch) {
      await read(bytes);
      if (coverage.takeNew() > 0 && seeds.length < MOST_SEEDS) seeds.push(bytes);
    }
  }
  return { sent, seeds: seeds.length, found: [...found.values()] };
}

/** Undefined: it answered or refused, and in time. */
export async function timedReading(
  reader: Reader,
  bytes: Buffer,
  folder: string,
): Promise<string | undefined> {
  const [began, worked] = [performance.now(), threadCpuMs()];
  const broken = await judgeReading(reader, bytes, folder);
  return broken ?? judgeTimes(reader.name, performance.now() - began, threadCpuMs() - worked);
}

export function judgeTimes(name: string, ms: number, cpu: number): string | undefined {
  if (cpu > LONGEST_READING_MS) return `${name} took ${Math.round(cpu)} ms of a core`;
  return ms > LONGEST_WAIT_MS ? `${name} was back after ${Math.round(ms)} ms` : undefined;
}

type Range = Readonly<{ startOffset: number; endOffset: number; count: number }>;
type Script = Readonly<{ url: string; functions: readonly Readonly<{ ranges: readonly Range[] }>[] }>;

export interface Coverage {
  /** Has anything new been run since the last look? It stays new. */
  sawNew(): boolean;
  /** How many blocks were run for the first time; from now on they are known. */
  takeNew(): number;
}

export function openCoverage(): Coverage {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
  const known = new Set<string>();

  function run(): string[] {
    let scripts: readonly Script[] = [];
    session.post('Profiler.takePreciseCoverage', (_, told) => (scripts = told.result));
    return scripts
      .filter(({ url }) => url.includes('/src/') && !url.includes('node_modules'))
      .flatMap(({ url, functions }) =>
        functions.flatMap(({ ranges }) =>
          ranges
            .filter(({ count }) => count > 0)
            .map((range) => `${url} ${range.startOffset} ${range.endOffset}`),
        ),
      )
      .filter((block) => !known.has(block));
  }

  return {
    sawNew: () => run().length > 0,
    takeNew() {
      const blocks = run();
      for (const block of blocks) known.add(block);
      return blocks.length;
    },
  };
}
