import { describe, expect, it } from 'vitest';
import { createToolCards } from '../../src/features/hub/tool-cards.ts';
import {
  readToolList,
  readToolRequests,
  TOOL_SERVERS,
  toolOf,
  type ToolRequest,
} from '../fixtures/tool-lists.ts';

/** The servers that the older requests were written for. */
const SERVERS =
  'everything filesystem firecrawl github gitlab kubernetes maps memory notion playwright slack thinking';
const tools = SERVERS.split(' ').flatMap(readToolList);
const requests = readToolRequests('requests');

const cards = createToolCards(tools);
const TOP = 8;

async function missed(asked: readonly ToolRequest[]): Promise<string[]> {
  const misses: string[] = [];
  for (const { query, wanted } of asked) {
    const found = (await cards.search(query, () => true, TOP)).hits.map(({ tool }) => tool.name);
    if (!wanted.some((name) => found.includes(name)))
      misses.push(`${query} → ${found.slice(0, 3).join(', ')}`);
  }
  return misses;
}

describe('ToolSearch over the tools of real servers', () => {
  it('has enough of both', () => {
    expect(TOOL_SERVERS.length).toBeGreaterThanOrEqual(20);
    expect(requests.length).toBeGreaterThanOrEqual(150);
    const names = new Set(tools.map(({ name }) => name));
    for (const { query, wanted } of requests) for (const name of wanted) expect(names, query).toContain(name);
  });

  it.each([
    ['used while it was built', 0],
    ['set aside', 1],
  ] as const)('finds what was asked for among the first eight, requests %s', async (_, half) => {
    const asked = requests.filter((_request, i) => i % 2 === half);
    const misses = await missed(asked);
    const rate = 1 - misses.length / asked.length;
    process.stdout.write(
      `ToolSearch: ${(rate * 100).toFixed(1)} % of ${asked.length} requests\n${misses.map((line) => `  missed: ${line}`).join('\n')}\n`,
    );
    expect(rate).toBeGreaterThanOrEqual(0.95);
  });

  it.each([
    '',
    '   ',
    '"',
    '((((',
    'a:b AND OR NOT',
    '\u0000\uffff',
    '😀',
    '*',
    'x'.repeat(100_000),
    '__proto__',
    'constructor',
  ])('survives %j', async (query) => {
    expect((await cards.search(query.slice(0, 20_000), () => true, TOP)).hits.length).toBeLessThanOrEqual(
      TOP,
    );
  });

  it('finds a whole name before its namesakes on servers', async () => {
    const own = { ...toolOf('a', { name: 'whoami', inputSchema: {} }), name: 'whoami' };
    const cards = createToolCards([toolOf('a', { name: 'whoami', inputSchema: {} }), own]);
    const { hits } = await cards.search('WhoAmI', () => true, 5);
    expect(hits.map(({ tool }) => tool.name)).toEqual(['whoami', 'a__whoami']);
  });

  it('explains its hits, filters before it cuts, and knows a name when it sees one', async () => {
    const [first] = (await cards.search('create issue', ({ source }) => source === 'gitlab', 3)).hits;
    expect(first).toMatchObject({
      tool: { name: 'gitlab__create_issue' },
      why: expect.stringContaining('has create, issue; in the title'),
    });
    const { hits } = await cards.search('create', ({ source }) => source === 'memory', 50);
    expect(new Set(hits.map(({ tool }) => tool.source))).toEqual(new Set(['memory']));
    expect((await cards.search('browser_click', () => true, 1)).hits[0]).toMatchObject({
      tool: { name: 'playwright__browser_click' },
      why: 'its very name',
    });
    expect((await cards.search('browserClick', () => true, 8)).hits.map(({ tool }) => tool.name)).toContain(
      'playwright__browser_click',
    );
  });
});
