import type { Client } from '../client.ts';
import { idEnding } from '../short-id.ts';

const PAGE = 200;

/** A fact by its whole id, or by the end of it as lists show it. */
export async function wholeFactId(client: Client, given: string): Promise<string> {
  if (given.length > 32) return given;
  const found: string[] = [];
  for (let before: string | undefined, isMore = true; isMore;) {
    const ids = await pageBefore(client, before);
    found.push(...ids.filter((id) => id.endsWith(given.toLowerCase())));
    before = ids.at(-1);
    isMore = ids.length === PAGE;
  }
  return idEnding(found, given, 'facts');
}

async function pageBefore(client: Client, before: string | undefined): Promise<string[]> {
  const { facts } = await client.ask('GET /api/memory', { limit: PAGE, before });
  return facts.map(({ id }) => id);
}
