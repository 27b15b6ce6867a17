import { expect, it } from 'vitest';
import { startPostgres } from '../fixtures/postgres-server.ts';
import { chaos, describeChaos } from './chaos.ts';

const PLAN = { ms: 15_000, everyMs: 500, workers: 3 };

it('a hub on a file loses nothing, whatever happens to it', { timeout: 300_000 }, async () => {
  const report = await chaos(PLAN);
  process.stdout.write(describeChaos('SQLite', report));
  expect(report.violations).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(20);
  expect(Object.keys(report.faults).length).toBeGreaterThanOrEqual(8);
});

it(
  'two hubs on one PostgreSQL lose nothing, whatever happens to any of them',
  { timeout: 300_000 },
  async () => {
    const server = await startPostgres({ isSynced: true });
    try {
      const report = await chaos({ ...PLAN, server });
      process.stdout.write(describeChaos('PostgreSQL, two hubs', report));
      expect(report.violations).toEqual([]);
      expect(Object.keys(report.faults)).toHaveLength(13);
    } finally {
      await server.stop();
    }
  },
);
