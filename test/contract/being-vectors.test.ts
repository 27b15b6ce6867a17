import { expect, it, vi } from 'vitest';
import { openBeingHost, scene } from '../fixtures/being-host.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { startEmbeddingEndpoint } from '../fixtures/embedding-endpoint.ts';

eachEngine('with an embedding endpoint', (engine) => {
  it('memories are found by meaning and say so; while it is away, by their words', async () => {
    const endpoint = await startEmbeddingEndpoint();
    vi.stubEnv('HOLDFAST_EMBEDDING_URL', endpoint.url);
    const host = await openBeingHost(engine);
    vi.unstubAllEnvs();
    const luna = await host.create('Luna');
    const sol = await host.create('Sol');
    const call = (tool: string, args: object) => host.call(luna, tool, args);
    await call('update_notes', {
      scenes: [
        scene('Sailed across the bay'),
        scene('Sailed home in the fog'),
        scene('Cooked mushroom soup'),
      ],
    });
    await call('trigger_patrol', { messages: [] });
    const found = await call('search_memory', { query: 'Sailed across the bay' });
    expect(found.text).toMatch(
      / found \(vector search\):\n- \[[0-9a-f-]+\] 2026-04-14 — Mika — Sailed across the bay/,
    );
    expect((await host.call(sol, 'search_memory', { query: 'Sailed across the bay' })).text).toMatch(
      /^No memory found/,
    );
    expect((await call('recall', { user_message: 'Sailed across the bay' })).text).toContain(
      'Sailed across the bay',
    );
    const ids = [...found.text.matchAll(/\[([0-9a-f-]{36})\]/g)].map(([, id]) => id).slice(0, 2);
    expect(
      (await call('merge_nodes', { node_ids: ids.join(','), summary: 'Two days of sailing' })).text,
    ).toMatch(/^Merged 2/);
    expect((await call('search_memory', { query: 'Two days of sailing' })).text).toMatch(
      /vector search[\s\S]*Two days of sailing/,
    );
    endpoint.behave('error');
    expect((await call('search_memory', { query: 'mushroom' })).text).toMatch(
      /^1 memory found \(keyword search, or\)/,
    );
    expect((await call('update_notes', { scenes: [scene('Counted the ducks')] })).isError).toBe(false);
    expect((await call('trigger_patrol', { messages: [] })).value.nodes_created).toBe(1);
  });
});
