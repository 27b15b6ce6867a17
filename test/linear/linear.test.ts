import { expect, it } from 'vitest';
import { startPostgres } from '../fixtures/postgres-server.ts';
import { describeLinear, linearOnFile, linearOnServer } from './linear.ts';

const LINEAR = { is: 'linearizable' };

it('claims of one hub on a file are linearizable, also over kills', { timeout: 120_000 }, async () => {
  const outcome = await linearOnFile({ calls: 600, everyMs: 1_500 });
  process.stdout.write(describeLinear('SQLite', outcome));
  expect(outcome.verdict).toEqual(LINEAR);
  expect(outcome.refused).toBeGreaterThan(100);
  expect(outcome.breaks).toBeGreaterThan(0);
});

it(
  'claims of three hubs on one PostgreSQL are linearizable, whatever breaks',
  { timeout: 180_000 },
  async () => {
    const server = await startPostgres();
    try {
      const outcome = await linearOnServer({ server, schema: 'linear' }, { calls: 600, everyMs: 1_000 });
      process.stdout.write(describeLinear('PostgreSQL, three hubs', outcome));
      expect(outcome.verdict).toEqual(LINEAR);
      expect(outcome.refused).toBeGreaterThan(100);
      expect(outcome.breaks).toBeGreaterThan(1);
    } finally {
      await server.stop();
    }
  },
);
