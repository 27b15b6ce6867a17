import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { searchWeb } from './search.ts';

/** A provider on loopback that speaks Brave's wire format. */
async function brave(status: number, body: string): Promise<{ baseUrl: string; asked: IncomingMessage[] }> {
  const asked: IncomingMessage[] = [];
  const server = createServer((req, res) => {
    asked.push(req);
    res.writeHead(status, { 'content-type': 'application/json' }).end(body);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return { baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

const signal = AbortSignal.timeout(5_000);

it('asks Brave with its key, its spelling of the filters, and reads its answer', async () => {
  const results = [
    {
      title: 'Kelp',
      url: 'https://example.org/kelp',
      description: 'A <strong>kelp</strong> grips the floor.',
    },
    { title: 'Elsewhere', url: 'javascript:alert(1)', description: 'not a page' },
  ];
  const { baseUrl, asked } = await brave(200, JSON.stringify({ web: { results } }));
  const query = {
    query: 'kelp',
    limit: 50,
    includeDomains: ['example.org'],
    recency: '1w',
    country: 'DE',
  } as const;
  expect(await searchWeb({ brave: { key: 'k-1', baseUrl } }, query, signal)).toEqual({
    provider: 'brave',
    results: [{ title: 'Kelp', url: 'https://example.org/kelp', snippet: 'A kelp grips the floor.' }],
  });
  const { pathname, searchParams } = new URL(asked[0]!.url!, baseUrl);
  expect(pathname).toBe('/res/v1/web/search');
  expect(Object.fromEntries(searchParams)).toEqual({
    q: 'kelp site:example.org',
    count: '20',
    freshness: 'pw',
    country: 'DE',
  });
  expect(asked[0]!.headers['x-subscription-token']).toBe('k-1');
});

it('answers nothing found when Brave has no pages', async () => {
  const { baseUrl } = await brave(200, '{"type":"search"}');
  expect(
    (await searchWeb({ brave: { key: 'k', baseUrl } }, { query: 'x', limit: 5 }, signal)).results,
  ).toEqual([]);
});

it.each([
  [401, '{}', 'Brave answered 401.'],
  [200, '<html>', 'Brave did not answer JSON.'],
])('says what went wrong when Brave answers %s %s', async (status, body, message) => {
  const { baseUrl } = await brave(status, body);
  const asking = searchWeb({ brave: { key: 'k', baseUrl } }, { query: 'x', limit: 5 }, signal);
  await expect(asking).rejects.toMatchObject({ code: 'unavailable', message });
});
