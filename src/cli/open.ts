import { Command } from 'commander';
import { runningHub } from '../kernel/discovery.ts';
import { HubError } from '../kernel/errors.ts';
import { withClient } from './client.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import type { World } from './world.ts';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { findProgram } from '../features/dispatch/agents/programs.ts';

/** Signs a browser in: consenting is for a person, and this is how the hub knows one. */
export function openCommand(world: World): Command {
  return withDatabase(new Command('open').description('open the page in your browser, signed in'))
    .argument('[path]', 'where to: a view such as /board', '/')
    .option('--print', 'print the link instead: it works once, within two minutes')
    .option('--at <address>', 'the address of the hub that the browser uses, such as http://localhost:18790')
    .action((path: string, options: Options) => open(world, path, options));
}

async function open(world: World, to: string, options: Options): Promise<void> {
  const announced = await runningHub(await configFrom(world, hubOptions(options)));
  if (!announced) {
    throw new HubError('not_found', 'No hub is running on this database.', {
      hint: 'Start one with `holdfast up`, then run this again.',
    });
  }
  const base = originOf(options['at'] ?? announced.address);
  const { path } = await withClient(world, hubOptions(options), (client) => client.ask('POST /api/open'));
  const url = `${base}${path}&to=${encodeURIComponent(to)}`;
  if (options['json']) return world.print(JSON.stringify({ url }));
  // Whoever reads the output, and not the screen, wants the link.
  const isWanted = options['print'] !== true && world.columns !== undefined;
  if (isWanted && (await openBrowser(world, url))) return world.tell(`Opened ${base} in your browser.`);
  world.print(url);
  world.tell('Open it in your browser within two minutes. It works once; do not give it to anybody.');
}

function hubOptions({ at: _at, print: _print, ...options }: Options): Options {
  return options;
}

function originOf(text: unknown): string {
  if (typeof text === 'string' && URL.canParse(text) && /^https?:/.test(text)) return new URL(text).origin;
  throw new HubError(
    'invalid',
    `--at must be an address such as http://localhost:18790; got ${JSON.stringify(text)}.`,
  );
}

/** How a desktop opens an address; undefined where nobody sits in front of one. */
function openerOf({ env }: World): string | undefined {
  const isDesktop =
    process.platform === 'darwin' || Boolean(env['DISPLAY'] || env['WAYLAND_DISPLAY'] || env['BROWSER']);
  if (!isDesktop || env['SSH_CONNECTION']) return undefined;
  const names = process.platform === 'darwin' ? ['open'] : [env['BROWSER'] ?? '', 'xdg-open', 'gio'];
  return names.filter((name) => name !== '').flatMap((name) => findProgram(name, env['PATH'] ?? '') ?? [])[0];
}

/** True when a browser was started. Whether it shows the page is between it and the person. */
async function openBrowser(world: World, url: string): Promise<boolean> {
  const opener = openerOf(world);
  if (opener === undefined) return false;
  const args = opener.endsWith('/gio') ? ['open', url] : [url];
  const child = spawn(opener, args, { stdio: 'ignore', detached: true });
  child.unref();
  return Promise.race([once(child, 'spawn').then(() => true), once(child, 'error').then(() => false)]).catch(
    () => false,
  );
}
