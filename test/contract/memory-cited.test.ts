import { expect, it } from 'vitest';
import type { SearchAnswer } from '../../src/features/memory/fact.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { openTestHub } from '../fixtures/hub.ts';
import { legacyClient, modernClient } from '../fixtures/server-hosts.ts';

const NOTE = {
  title: 'CI caching',
  content: 'Turborepo outputs in S3 cut the mean workflow from 19 to 7 minutes',
};
const OTHERWISE = 'our builds take forever';

it.each(['legacy', 'modern'] as const)(
  'learns from a fact that is cited on the board, with the documented tools alone, and over a restart (%s)',
  { timeout: 60_000 },
  async (era) => {
    const home = freshFolder();
    const env = { HOLDFAST_EMBEDDING: 'none' };
    const first = await openTestHub({ home, env });
    const clientOf =
      ({ address }: typeof first) =>
      (server: string, agent: string) => {
        const url = `${address}/api/mcp/${server}?scopeTeamId=red&scopeAgentId=${agent}`;
        return era === 'legacy' ? legacyClient(url) : modernClient(url);
      };
    const connect = clientOf(first);
    const { fact } = (await (await connect('memory', 'ann')).call('memory_save', NOTE)).value;
    const [memory, board] = [await connect('memory', 'bob'), await connect('tasks', 'bob')];
    const task = (await board.call('create_task', { title: 'Look at the pipeline' })).value;
    await memory.call('memory_search', { query: OTHERWISE });
    await memory.call('memory_search', { query: 'turborepo caching' });
    // Reading names nothing; only what is written does.
    await board.call('get_task', { taskId: task.id });
    await board.call('add_comment', { taskId: task.id, body: `Done as fact ${fact.id} says.` });
    const found = async (from: typeof first): Promise<SearchAnswer> =>
      (await (await clientOf(from)('memory', 'dan')).call('memory_search', { query: OTHERWISE })).value;
    await expect.poll(async () => (await found(first)).results.length, { timeout: 10_000 }).toBe(1);
    await first.hub.close();
    const again = await found(await openTestHub({ home, env }));
    expect(again.results).toMatchObject([
      { id: fact.id, why: 'opened by one agent after a similar question' },
    ]);
  },
);
