import { Command } from 'commander';
import { runningHub } from '../kernel/discovery.ts';
import { HubError } from '../kernel/errors.ts';
import { withClient } from './client.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import type { World } from './world.ts';

/** Signs a browser in: consenting is for a person, and this is how the hub knows one. */
export function openCommand(world: World): Command {
  return withDatabase(new Command('open').description('a link that signs your browser in, once'))
    .option('--at <address>', 'the address of the hub that the browser uses, such as http://localhost:18790')
    .action((options: Options) => open(world, options));
}

async function open(world: World, options: Options): Promise<void> {
  const announced = await runningHub(await configFrom(world, { ...options, at: undefined }));
  if (!announced) {
    throw new HubError('not_found', 'No hub is running on this database.', {
      hint: 'Start one with `holdfast up`, then run this again.',
    });
  }
  const base = originOf(options['at'] ?? announced.address);
  const { path } = await withClient(world, { ...options, at: undefined }, (client) =>
    client.ask('POST /api/open'),
  );
  const url = `${base}${path}`;
  if (options['json']) return world.print(JSON.stringify({ url }));
  world.print(url);
  world.tell('Open it in your browser within two minutes. It works once; do not give it to anybody.');
}

function originOf(text: unknown): string {
  if (typeof text === 'string' && URL.canParse(text) && /^https?:/.test(text)) return new URL(text).origin;
  throw new HubError(
    'invalid',
    `--at must be an address such as http://localhost:18790; got ${JSON.stringify(text)}.`,
  );
}
