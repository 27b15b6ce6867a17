// Web search by the first provider that is configured, with one shape of results for all.
import { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';

export type SearchQuery = Readonly<{
  query: string;
  limit: number;
  includeDomains?: readonly string[] | undefined;
  excludeDomains?: readonly string[] | undefined;
  recency?: '24h' | '1w' | '1m' | '1y' | undefined;
  country?: string | undefined;
}>;

export type SearchResult = Readonly<{ title: string; url: string; snippet: string }>;

/** Where searches go. The first configured provider is used: Tavily, Brave, SearXNG. */
export type SearchProviders = Readonly<{
  tavily?: Readonly<{ key: string; baseUrl?: string | undefined }> | undefined;
  brave?: Readonly<{ key: string; baseUrl?: string | undefined }> | undefined;
  searxng?: Readonly<{ baseUrl: string }> | undefined;
}>;

const TIMEOUT_MS = 15_000;
const MOST_BYTES = 4 * 1024 * 1024;

export async function searchWeb(
  providers: SearchProviders,
  query: SearchQuery,
  signal: AbortSignal,
): Promise<{ provider: string; results: SearchResult[] }> {
  const { tavily, brave, searxng } = providers;
  if (tavily) return { provider: 'tavily', results: tidy(await askTavily(tavily, query, signal), query) };
  if (brave) return { provider: 'brave', results: tidy(await askBrave(brave, query, signal), query) };
  if (searxng) return { provider: 'searxng', results: tidy(await askSearxng(searxng, query, signal), query) };
  throw new HubError('unavailable', 'No search provider is configured.', {
    hint: 'Set TAVILY_API_KEY, BRAVE_API_KEY or search.searxng.',
  });
}

const text = z.string().catch('');

async function askTavily(
  { key, baseUrl = 'https://api.tavily.com' }: { key: string; baseUrl?: string | undefined },
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResult[]> {
  const days = { '24h': 'day', '1w': 'week', '1m': 'month', '1y': 'year' } as const;
  const body = {
    query: query.query,
    max_results: query.limit,
    ...(query.includeDomains && { include_domains: query.includeDomains }),
    ...(query.excludeDomains && { exclude_domains: query.excludeDomains }),
    ...(query.recency && { time_range: days[query.recency] }),
    ...(query.country && { country: query.country }),
  };
  const answer = await ask('Tavily', `${baseUrl}/search`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    signal,
  });
  return readResults(answer);
}

async function askBrave(
  { key, baseUrl = 'https://api.search.brave.com' }: { key: string; baseUrl?: string | undefined },
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResult[]> {
  const fresh = { '24h': 'pd', '1w': 'pw', '1m': 'pm', '1y': 'py' } as const;
  const params = new URLSearchParams({ q: withDomains(query), count: String(Math.min(query.limit, 20)) });
  if (query.recency) params.set('freshness', fresh[query.recency]);
  if (query.country) params.set('country', query.country);
  const answer = await ask('Brave', `${baseUrl}/res/v1/web/search?${params.toString()}`, {
    headers: { 'x-subscription-token': key, accept: 'application/json' },
    signal,
  });
  const schema = z.object({
    web: z
      .object({ results: z.array(z.object({ title: text, url: text, description: text })) })
      .catch({ results: [] }),
  });
  return schema.parse(answer).web.results.map(({ title, url, description }) => ({
    title,
    url,
    snippet: description.replace(/<\/?strong>/g, ''),
  }));
}

async function askSearxng(
  { baseUrl }: { baseUrl: string },
  query: SearchQuery,
  signal: AbortSignal,
): Promise<SearchResult[]> {
  const span = { '24h': 'day', '1w': 'week', '1m': 'month', '1y': 'year' } as const;
  const params = new URLSearchParams({ q: withDomains(query), format: 'json' });
  if (query.recency) params.set('time_range', span[query.recency]);
  const answer = await ask('SearXNG', `${baseUrl}/search?${params.toString()}`, {
    headers: { accept: 'application/json' },
    signal,
  });
  return readResults(answer);
}

/** As Tavily and SearXNG answer. */
function readResults(answer: unknown): SearchResult[] {
  const { results } = z
    .object({ results: z.array(z.object({ title: text, url: text, content: text })).catch([]) })
    .parse(answer);
  return results.map(({ title, url, content }) => ({ title, url, snippet: content }));
}

function withDomains({ query, includeDomains = [], excludeDomains = [] }: SearchQuery): string {
  return [
    query,
    ...includeDomains.map((domain) => `site:${domain}`),
    ...excludeDomains.map((domain) => `-site:${domain}`),
  ].join(' ');
}

function tidy(results: readonly SearchResult[], { limit }: SearchQuery): SearchResult[] {
  return results
    .filter(({ url }) => /^https?:\/\//.test(url))
    .slice(0, limit)
    .map(({ title, url, snippet }) => ({
      title: title.slice(0, 300),
      url,
      snippet: snippet.slice(0, 2_000),
    }));
}

async function ask(name: string, url: string, init: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, {
      ...init,
      redirect: 'error',
      signal: AbortSignal.any([init.signal!, AbortSignal.timeout(TIMEOUT_MS)]),
    });
  } catch (error) {
    throw new HubError('unavailable', `${name} did not answer.`).because(error);
  }
  if (!response.ok) {
    await response.body?.cancel();
    const hint = response.status === 401 || response.status === 403 ? 'Check its key.' : 'Try again later.';
    throw new HubError('unavailable', `${name} answered ${response.status}.`, {
      status: response.status,
      hint,
    });
  }
  const body = await response.text();
  if (body.length > MOST_BYTES) throw new HubError('unavailable', `${name} answered with too much.`);
  try {
    return JSON.parse(body);
  } catch (error) {
    throw new HubError('unavailable', `${name} did not answer JSON.`).because(error);
  }
}
