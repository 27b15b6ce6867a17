import { expect, test } from 'vitest';
import { sampleServer } from '../../test/fixtures/mcp-server.ts';
import { localPrincipal } from '../kernel/principal.ts';
import { prepareServer } from './registry.ts';
import { estimateTokens, listCosts } from './token-cost.ts';

test('prose and JSON are estimated near what tokenizers count', () => {
  expect(estimateTokens('The quick brown fox jumps over the lazy dog.')).toBeGreaterThanOrEqual(9);
  expect(estimateTokens('The quick brown fox jumps over the lazy dog.')).toBeLessThanOrEqual(14);
  expect(estimateTokens('')).toBe(0);
});

test('each profile of a server has its cost, and more tools cost more', async () => {
  const costs = await listCosts([prepareServer(sampleServer)], localPrincipal(''));
  expect(costs.map(({ server, profile, tools }) => ({ server, profile, tools }))).toEqual([
    { server: 'sample', profile: 'default', tools: 7 },
    { server: 'sample', profile: 'extended', tools: 8 },
  ]);
  expect(costs[1]!.tokens).toBeGreaterThan(costs[0]!.tokens);
});
