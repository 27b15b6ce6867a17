import { expect, it } from 'vitest';
import { startPostgres } from '../fixtures/postgres-server.ts';
import { chaos, describeChaos } from './chaos.ts';

it('a hub on a file loses nothing, whatever happens to it', { timeout: 180_000 }, async () => {
  const report = await chaos({ ms: 12_000, everyMs: 800, workers: 4 });
  process.stdout.write(describeChaos('SQLite', report));
  expect(report.violations).toEqual([]);
  expect(report.acknowledged).toBeGreaterThan(20);
});

it(
  'two hubs on one PostgreSQL lose nothing, whatever happens to any of them',
  { timeout: 240_000 },
  async () => {
    const server = await startPostgres();
    try {
      const report = await chaos({ server, ms: 18_000, everyMs: 800, workers: 4 });
      process.stdout.write(describeChaos('PostgreSQL, two hubs', report));
      expect(report.violations).toEqual([]);
      expect(Object.keys(report.faults)).toHaveLength(6);
    } finally {
      await server.stop();
    }
  },
);
