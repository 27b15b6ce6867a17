import { expect, it } from 'vitest';
import { describeSync, tortureSync } from './sync.ts';

it(
  'two clones that are edited on both sides and merged by git end as one board',
  { timeout: 180_000 },
  async () => {
    const seed = Number(process.env['SYNC_SEED'] ?? Date.now() % 100_000);
    const outcome = await tortureSync({ rounds: 6, seed });
    process.stdout.write(`seed ${seed}: ${describeSync(outcome)}`);
    expect(outcome.violations).toEqual([]);
    expect(outcome.merges).toBeGreaterThan(0);
  },
);
