import { describe, expect, it } from 'vitest';
import { ALICE, DOCUMENTED_TOOLS } from '../fixtures/brain-host.ts';
import type { ToolClient, ToolHost } from '../fixtures/server-hosts.ts';

/** What the document says of `clawbrain`, field by field, as any client sees it, over every host and both engines. */
const ISO = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
const ALICE_ID = 'entity-people-alice-chen';

export function brainGolden(name: string, open: () => Promise<ToolHost>): void {
  const ask = async (client: ToolClient, tool: string, args = {}) => {
    const { isError, lines, value } = await client.call(tool, args);
    expect(isError, lines.join('\n')).toBe(false);
    expect(JSON.parse(lines[0]!)).toEqual(value);
    return value;
  };
  const refusal = async (client: ToolClient, tool: string, args = {}) => {
    const { isError, lines } = await client.call(tool, args);
    expect(isError).toBe(true);
    return lines[0];
  };

  describe(`${name}: the seven tools`, { timeout: 60_000 }, () => {
    it('are these, and keep an entity from its first line to the archive', async () => {
      const client = await (await open()).connect();
      expect(await client.toolNames()).toEqual(DOCUMENTED_TOOLS);
      expect(await ask(client, 'memory_store', ALICE)).toEqual({
        id: ALICE_ID,
        path: 'entities/people/alice-chen.md',
        created: true,
      });
      expect(await refusal(client, 'memory_store', ALICE)).toContain('memory_update');
      expect(await ask(client, 'memory_retrieve', { id: ALICE_ID })).toEqual({
        id: ALICE_ID,
        ...ALICE,
        credit_score: 0.5,
        access_count: 1,
        created_at: ISO,
        last_accessed: ISO,
        updated_at: ISO,
        path: 'entities/people/alice-chen.md',
        untrusted: true,
      });
      expect((await ask(client, 'memory_retrieve', { id: ALICE_ID })).access_count).toBe(2);
      const update = await ask(client, 'memory_update', {
        id: ALICE_ID,
        content: '# Alice Chen\n\n- Team lead\n',
      });
      expect(update).toEqual({ id: ALICE_ID, updated: true, previous_updated_at: ISO });
      expect(await ask(client, 'memory_retrieve', { id: ALICE_ID })).toMatchObject({
        content: '# Alice Chen\n\n- Team lead\n',
        tags: ['colleague', 'ml-team'],
        created_at: update.previous_updated_at,
      });
      expect(await ask(client, 'memory_delete', { id: ALICE_ID })).toEqual({
        id: ALICE_ID,
        archived: true,
        archive_path: 'archive/entities/people/alice-chen.md',
      });
      for (const tool of ['memory_retrieve', 'memory_delete']) {
        expect(await refusal(client, tool, { id: ALICE_ID })).toBe(`Memory not found: ${ALICE_ID}`);
      }
      await ask(client, 'memory_store', { ...ALICE, pinned: true });
      expect(await refusal(client, 'memory_delete', { id: ALICE_ID })).toBe(
        `Cannot archive pinned memory: ${ALICE_ID}`,
      );
    });

    it('find by name, tag and text, and weigh what they find', async () => {
      const client = await (await open()).connect();
      await ask(client, 'memory_store', ALICE);
      await ask(client, 'memory_store', {
        ...ALICE,
        name: 'bob',
        tags: ['alice-fan'],
        content: 'Builds boats',
      });
      await ask(client, 'memory_store', {
        type: 'episode',
        category: 'ignored',
        name: 'standup',
        content: 'Alice was away',
        tags: [],
      });
      const found = await ask(client, 'memory_search', { query: 'alice', type: null, limit: 5 });
      expect(found.total_matches).toBe(3);
      expect(found.results[0]).toEqual({
        id: ALICE_ID,
        name: 'alice-chen',
        type: 'entity',
        snippet: 'ML engineer at the lab, focuses on vision transformers',
        credit_score: 0.5,
        relevance_score: 1,
        combined_score: 0.7,
        matched: 'name',
        untrusted: true,
      });
      expect(found.results.map((hit: any) => [hit.relevance_score, hit.combined_score])).toEqual([
        [1, 0.7],
        [0.8, 0.62],
        [0.5, 0.5],
      ]);
      expect(await ask(client, 'memory_search', { query: 'alice', limit: 1 })).toMatchObject({
        total_matches: 3,
        results: { length: 1 },
      });
      const episodes = await ask(client, 'memory_search', { query: 'alice', type: 'episode' });
      expect(episodes.results.map((hit: any) => hit.id)).toEqual([
        expect.stringMatching(/^episode-\d{4}-\d\d-standup$/),
      ]);
      expect(await ask(client, 'memory_search', { query: 'Who builds a boat?' })).toMatchObject({
        results: [{ name: 'bob' }],
      });
      expect(await ask(client, 'memory_search', { query: 'qqqzzz' })).toEqual({
        results: [],
        total_matches: 0,
      });
      expect(await refusal(client, 'memory_search', { query: 'x', limit: 21 })).toContain('1 to 20');
    });

    it('report and compact', async () => {
      const client = await (await open()).connect();
      await ask(client, 'memory_store', ALICE);
      for (const episode of ['login-bug', 'login-fix', 'login-test'])
        await ask(client, 'memory_store', {
          type: 'episode',
          category: '',
          name: episode,
          content: `About ${episode}.`,
          tags: ['auth'],
        });
      const rows = expect.arrayContaining([
        { id: ALICE_ID, name: 'alice-chen', score: 0.5, access_count: 0 },
      ]);
      expect(await ask(client, 'credit_report')).toMatchObject({
        total_memories: 4,
        avg_score: 0.5,
        top: rows,
        bottom: rows,
        prune_candidates: 0,
        last_consolidation: null,
        last_pruning: null,
      });
      expect(await ask(client, 'memory_compact', {})).toEqual({
        consolidated: 3,
        promoted: 0,
        pruned: 0,
        details: [
          expect.stringMatching(/^Merged 3 episodes from \d{4}-\d\d-\d\d into 'auth-\d{4}-\d\d-\d\d'$/),
        ],
      });
      expect(await ask(client, 'credit_report', { top_n: 1 })).toMatchObject({
        total_memories: 2,
        top: { length: 1 },
        bottom: { length: 1 },
        last_consolidation: ISO,
        last_pruning: ISO,
      });
      expect(await ask(client, 'memory_compact')).toEqual({
        consolidated: 0,
        promoted: 0,
        pruned: 0,
        details: [],
      });
    });
  });
}
