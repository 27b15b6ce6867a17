import { randomBytes } from 'node:crypto';
import { expect, inject, it } from 'vitest';
import { builtBin } from '../fixtures/built.ts';
import { describePool, torturePool } from './pool.ts';

it(
  'hubs and runners that are killed and cut off end every run once, and nothing is lost or doubled',
  { timeout: 150_000 },
  async () => {
    const report = await torturePool({
      database: { url: inject('postgresUrl'), schema: `pool_${randomBytes(4).toString('hex')}` },
      hubs: 2,
      runners: 2,
      runs: 12,
      kills: 4,
      maxMs: 120_000,
      holdfast: builtBin('holdfast'),
    });
    process.stdout.write(describePool(report));
    expect(report.violations).toEqual([]);
    expect(report.done).toBe(report.runs);
  },
);
