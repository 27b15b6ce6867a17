import { expect, it } from 'vitest';
import { startEmbeddingEndpoint } from '../fixtures/embedding-endpoint.ts';
import { freshHome } from '../fixtures/hub-process.ts';
import { startStdio } from '../fixtures/stdio-client.ts';

/** Without a hub the bin is the only one who could embed. */
async function vectorSearch(client: Awaited<ReturnType<typeof startStdio>>, query: string) {
  return (await client.call('memory_search', { query, mode: 'vector' })).structuredContent;
}

it(
  'the memory bin embeds what it saves, and what a session before it left behind',
  { timeout: 90_000 },
  async () => {
    const endpoint = await startEmbeddingEndpoint();
    const home = freshHome();
    const early = await startStdio({ ...home, HOLDFAST_EMBEDDING: 'none' }, 'clawboo-mcp-memory');
    await early.call('memory_save', { title: 'Lunch', content: 'The canteen closes at two' });
    expect(await early.end()).toBe(0);
    const memory = await startStdio({ ...home, HOLDFAST_EMBEDDING_URL: endpoint.url }, 'clawboo-mcp-memory');
    await memory.call('memory_save', { title: 'Database', content: 'We moved to Postgres in March' });
    await expect
      .poll(() => vectorSearch(memory, 'postgres database'), { timeout: 30_000 })
      .toMatchObject({
        mode: 'vector',
        results: [{ title: 'Database', matchedVia: 'vector' }, { title: 'Lunch' }],
      });
    expect(await memory.end()).toBe(0);
    expect(memory.stderr).toBe('');
  },
);

it('the memory bin serves and ends though its endpoint never answers', { timeout: 90_000 }, async () => {
  const endpoint = await startEmbeddingEndpoint();
  endpoint.behave('never');
  const memory = await startStdio(
    { ...freshHome(), HOLDFAST_EMBEDDING_URL: endpoint.url },
    'clawboo-mcp-memory',
  );
  await memory.call('memory_save', { title: 'Database', content: 'We moved to Postgres in March' });
  const startedAt = Date.now();
  expect(await memory.end()).toBe(0);
  expect(Date.now() - startedAt).toBeLessThan(10_000);
});
