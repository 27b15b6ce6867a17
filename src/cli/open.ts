import { Command } from 'commander';
import { runningHub } from '../kernel/discovery.ts';
import { HubError } from '../kernel/errors.ts';
import { openBrowser } from './browser.ts';
import { withClient } from './client.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import type { World } from './world.ts';

/** Signs a browser in: consenting is for a person, and this is how the hub knows one. */
export function openCommand(world: World): Command {
  return withDatabase(new Command('open').description('open the page in your browser, signed in'))
    .option('--print', 'print the link instead: it works once, within two minutes')
    .option('--at <address>', 'the address of the hub that the browser uses, such as http://localhost:18790')
    .action((options: Options) => open(world, options));
}

async function open(world: World, options: Options): Promise<void> {
  const announced = await runningHub(await configFrom(world, hubOptions(options)));
  if (!announced) {
    throw new HubError('not_found', 'No hub is running on this database.', {
      hint: 'Start one with `holdfast up`, then run this again.',
    });
  }
  const base = originOf(options['at'] ?? announced.address);
  const { path } = await withClient(world, hubOptions(options), (client) => client.ask('POST /api/open'));
  const url = `${base}${path}`;
  if (options['json']) return world.print(JSON.stringify({ url }));
  // Whoever reads the output, and not the screen, wants the link.
  const isWanted = options['print'] !== true && world.columns !== undefined;
  if (isWanted && (await openBrowser(world, url))) return world.tell(`Opened ${base} in your browser.`);
  world.print(url);
  world.tell('Open it in your browser within two minutes. It works once; do not give it to anybody.');
}

function hubOptions({ at: _, print: __, ...options }: Options): Options {
  return options;
}

function originOf(text: unknown): string {
  if (typeof text === 'string' && URL.canParse(text) && /^https?:/.test(text)) return new URL(text).origin;
  throw new HubError(
    'invalid',
    `--at must be an address such as http://localhost:18790; got ${JSON.stringify(text)}.`,
  );
}
