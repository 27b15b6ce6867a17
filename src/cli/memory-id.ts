import type { Client } from './client.ts';
import { idEnding } from './short-id.ts';

/** A fact by its whole id, or by the end of it as lists show it; escaped for a path. */
export async function wholeFactId(client: Client, given: string): Promise<string> {
  if (given.length > 32) return encodeURIComponent(given);
  const found: string[] = [];
  for (let before = '', isMore = true; isMore;) {
    const { facts } = await client.call<{ facts: { id: string }[] }>(
      'GET',
      `/api/memory?limit=200${before && `&before=${before}`}`,
    );
    found.push(...facts.map(({ id }) => id).filter((id) => id.endsWith(given.toLowerCase())));
    before = encodeURIComponent(facts.at(-1)?.id ?? '');
    isMore = facts.length === 200;
  }
  return encodeURIComponent(idEnding(found, given, 'facts'));
}
