import { describe, expect, it } from 'vitest';
import type { ChecksDefinition } from './checks/definition.ts';
import { exitOf, guardedAmong, longestPassing, together } from './rules.ts';

/** A queue of candidates, some of them bad, until nobody waits; answers how many runs that took and who landed. */
async function simulate(queue: readonly boolean[], batch: number) {
  let runs = 0;
  let waiting = queue.map((isBad, id) => ({ id, isBad }));
  const landed: number[] = [];
  const failed: number[] = [];
  while (waiting.length > 0) {
    const taken = waiting.slice(0, batch);
    const good = await longestPassing(taken.length, async (length) => {
      runs += 1;
      return taken.slice(0, length).every(({ isBad }) => !isBad);
    });
    landed.push(...taken.slice(0, good).map(({ id }) => id));
    if (good < taken.length) failed.push(taken[good]!.id);
    waiting = waiting.slice(Math.min(good + 1, taken.length));
  }
  return { runs, landed, failed };
}

/** The same numbers every time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_103_515_245 + 12_345) % 2 ** 31) / 2 ** 31;
}

describe('a queue with bad candidates', () => {
  it.each([1, 2, 3, 4, 8, 16])('of 100 with 5 bad ones keeps its bound in batches of %i', async (batch) => {
    const bound = Math.ceil(100 / batch) + 5 * 2 * Math.ceil(Math.log2(batch));
    for (let seed = 1; seed <= 200; seed += 1) {
      const next = numbers(seed);
      const bad = new Set<number>();
      while (bad.size < 5) bad.add(Math.floor(next() * 100));
      const { runs, landed, failed } = await simulate(
        Array.from({ length: 100 }, (_, id) => bad.has(id)),
        batch,
      );
      expect(runs).toBeLessThanOrEqual(bound);
      expect([...bad].toSorted((a, b) => a - b)).toEqual(failed);
      expect(landed).toHaveLength(95);
    }
  });
});

const definition = {
  target: 'main',
  checks: [{ setup: { key: ['package-lock.json'] } }],
} as unknown as ChecksDefinition;

describe('paths that wait for a person', () => {
  const guarded = (...paths: string[]) =>
    guardedAmong(paths, { definition, settings: { protect: ['migrations/**', 'infra/', '*.pem'] } });

  it.each([
    '.holdfast/checks.yaml',
    '.HOLDFAST/checks.yaml',
    '.gitattributes',
    'deep/down/.gitattributes',
    '.gitmodules',
    '.github/workflows/ci.yml',
    '.gitlab-ci.yml',
    'Jenkinsfile',
    '.husky/pre-commit',
    'lefthook.yml',
    'migrations/1/up.sql',
    'infra/main.tf',
    'key.pem',
    'package-lock.json',
  ])('%s', (path) => expect(guarded('src/a.ts', path)).toEqual([path]));

  it('and no others', () =>
    expect(guarded('src/.holdfast.ts', 'docs/.github.md', 'deep/key.pem', 'migrations')).toEqual([]));
});

it('whatever changes how others are judged is judged alone', () => {
  const plain = (id: number) => ({ id, protected: [] as string[] });
  const [lock, checks] = [
    { id: 8, protected: ['package-lock.json'] },
    { id: 9, protected: ['.holdfast/checks.yaml'] },
  ];
  expect(together([plain(1), plain(2), lock, plain(3)], definition)).toEqual([plain(1), plain(2)]);
  expect(together([checks, plain(1)], definition)).toEqual([checks]);
  expect(together([plain(1), plain(2)], definition)).toHaveLength(2);
});

it.each([
  ['landed', 0],
  ['failed', 1],
  ['conflict', 4],
  ['withdrawn', 5],
  ['held', 6],
  ['waiting_person', 6],
  ['testing', 6],
] as const)('%s ends with %i', (state, code) => expect(exitOf(state)).toBe(code));
