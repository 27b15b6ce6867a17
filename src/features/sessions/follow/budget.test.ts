import { expect, it } from 'vitest';
import { createBudget } from './budget.ts';

/** A machine on which work takes what it is said to take, and rests take no processor at all. */
function machine() {
  let [cpu, at] = [12_345, 67_890];
  const budget = createBudget({ cpu: () => cpu, elapsed: () => at });
  const since = { cpu, at };
  return {
    work(used: number, took = used) {
      budget.begin();
      cpu += used;
      at += took;
    },
    /** What somebody else in this process did between pieces of work. */
    other(used: number) {
      cpu += used;
    },
    rest() {
      const owed = budget.owed();
      at += owed;
      return owed;
    },
    share: () => (cpu - since.cpu) / (at - since.at),
  };
}

it('is a tenth of a core, whatever the pieces of work are like', () => {
  const pieces: readonly (readonly [used: number, took: number])[] = [
    [10, 10],
    [1, 1],
    [900, 450], // on two cores at once
    [3, 80], // a server worked for it
    [4_000, 4_100],
    [0, 0],
  ];
  const { work, rest, share } = machine();
  for (let round = 0; round < 50; round += 1)
    for (const [used, took] of pieces) {
      work(used, took);
      rest();
      expect(share()).toBeLessThanOrEqual(0.1);
    }
  expect(share()).toBeGreaterThan(0.08);
});

it('is what was used or how long it took, whichever is more', () => {
  const { work, rest, other } = machine();
  work(10);
  expect(rest()).toBeCloseTo(90);
  work(40, 20);
  expect(rest()).toBeCloseTo(380);
  work(5, 100);
  expect(rest()).toBeCloseTo(900);
  other(5_000);
  work(1);
  expect(rest()).toBeCloseTo(9);
});

it('does not rest for days after a process was stopped for hours, and never longer than ten minutes', () => {
  const { work, rest } = machine();
  work(10, 8 * 3_600_000);
  expect(rest()).toBeCloseTo(45_000);
  work(100_000);
  expect(rest()).toBe(600_000);
});
