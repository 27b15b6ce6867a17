import type { Being } from '../features/being/being.ts';
import { HubError } from '../kernel/errors.ts';
import type { Client } from './client.ts';

export async function listBeings(client: Client): Promise<readonly Being[]> {
  return (await client.call<{ beings: Being[] }>('GET', '/v1/beings')).beings;
}

/** By id, or by a name that only one has. */
export async function beingId(client: Client, being: string): Promise<string> {
  const all = await listBeings(client);
  const found = all.filter(
    ({ id, name }) => id === being.toLowerCase() || name.toLowerCase() === being.toLowerCase(),
  );
  if (found.length === 1) return found[0]!.id;
  const why =
    found.length === 0
      ? `There is no Being ${being}.`
      : `More than one Being is called ${being}; use the id.`;
  throw new HubError(found.length === 0 ? 'not_found' : 'conflict', why, {
    hint: '`holdfast being list` shows them.',
  });
}
