import { HubError } from '../../kernel/errors.ts';
import { type Client, withClient } from '../client.ts';
import type { Options } from '../options.ts';
import type { World } from '../world.ts';

/** The Being that a command is about, as it was named: by its id or its name. */
export type Named = Readonly<{ world: World; being: string; options: Options }>;

/** A command's worth of a client, and the id of the Being it is about. */
export function withBeing<T>(
  { world, being, options }: Named,
  work: (client: Client, id: string) => Promise<T>,
): Promise<T> {
  return withClient(world, options, async (client) => work(client, await beingId(client, being)));
}

/** By id, or by a name that only one has. */
async function beingId(client: Client, being: string): Promise<string> {
  const { beings } = await client.ask('GET /v1/beings');
  const found = beings.filter(
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
