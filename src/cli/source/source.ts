// `holdfast source`: MCP servers of others. Changes go into config.yaml, and a running hub follows it.
import { Command } from 'commander';
import { HubError } from '../../kernel/errors.ts';
import { withClient } from '../client.ts';
import { QuietExit } from '../exit.ts';
import { type Options, withDatabase } from '../options.ts';
import { reviewSource } from './review.ts';
import { printSource, printSources, type SourceDetail } from './view.ts';
import type { World } from '../world.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { elapsed } from '../../kernel/clock.ts';
import { readFile } from 'node:fs/promises';
import { reasonOf } from '../../kernel/file-faults.ts';
import { redactValue } from '../../kernel/redact.ts';

const FAILED = 6;
const NAME = 'its name: a short lower-case word';

/** MCP servers of others behind the hub. Every change goes into config.yaml, and a running hub follows it. */
export function sourceCommand(world: World): Command {
  const command = new Command('source').description('MCP servers of others behind this hub');
  command.enablePositionalOptions();
  withDatabase(command.command('list', { isDefault: true }))
    .description('every source with its state')
    .action((options: Options) => printSources(world, options));
  withDatabase(command.command('add'))
    .description('put a server behind the hub')
    .argument('<name>', NAME)
    .argument('[command...]', 'after --: the program and its arguments')
    .option('--url <address>', 'a server on the web instead of a program')
    .option('--env <pairs...>', "variables of the program, such as TOKEN='${secrets.github}'")
    .option('--header <pairs...>', "headers of every request, such as Authorization='Bearer ${secrets.docs}'")
    .option('--trust <how>', 'ask (unless given), pinned or all')
    .option('--isolate <how>', 'caller: each caller gets a connection of its own')
    .option('--tag <names...>', 'words that ToolSearch can be narrowed to')
    .action((name: string, argv: string[], options: Options) => add(world, { name, argv }, options));
  withDatabase(command.command('remove'))
    .description('take a server away, with its login and what was approved of it')
    .argument('<name>')
    .action((name: string, options: Options) => remove(world, name, options));
  withDatabase(command.command('test'))
    .description('connect to it now and say how that went')
    .argument('<name>')
    .action((name: string, options: Options) => test(world, name, options));
  withDatabase(command.command('inspect'))
    .description('its tools, resources and prompts, and what is suspicious about them')
    .argument('<name>')
    .action(async (name: string, options: Options) =>
      printSource(world, options, await get(world, name, options)),
    );
  for (const [word, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const) {
    withDatabase(command.command(word))
      .description(`switch it ${enabled ? 'on' : 'off'}`)
      .argument('<name>')
      .action((name: string, options: Options) => flip(world, { name, enabled }, options));
  }
  withDatabase(command.command('review'))
    .description('what is new or has changed in its tools; approve it, reject it, take that back')
    .argument('<name>')
    .argument('[tools...]', 'only these')
    .option('--approve <digest>', 'approve what was shown under this digest, and nothing that came after it')
    .option('--reject <digest>', 'reject what was shown under this digest')
    .option('--undo', 'take back what was decided on the tools named')
    .action((name: string, tools: string[], options: Options) =>
      reviewSource(world, { name, tools }, options),
    );
  withDatabase(command.command('import'))
    .description('take servers over from the file of another client')
    .argument('<file>', '.mcp.json, ~/.claude.json, .vscode/mcp.json, ~/.codex/config.toml …')
    .option('--only <names...>', 'only these')
    .option('--yes', 'add what is shown; without it nothing is changed')
    .action((file: string, options: Options) => importSources(world, file, options));
  withDatabase(command.command('login'))
    .description('log in to a source on the web, in the browser')
    .argument('<name>')
    .action((name: string, options: Options) => loginToSource(world, name, options));
  return command;
}

async function add(
  world: World,
  { name, argv }: Readonly<{ name: string; argv: readonly string[] }>,
  options: Options,
): Promise<void> {
  const { url, trust, isolate, tag } = options;
  if ((url === undefined) === (argv.length === 0))
    throw new HubError('invalid', 'Give either --url, or a command after --.', {
      hint: 'holdfast source add notes -- npx -y @modelcontextprotocol/server-memory',
    });
  const [env, headers] = [pairsOf(options['env'], '--env'), pairsOf(options['header'], '--header')];
  const entry = {
    ...(url === undefined ? { command: argv } : { url }),
    ...(env && { env }),
    ...(headers && { headers }),
    ...(trust !== undefined && { trust }),
    ...(isolate !== undefined && { isolate }),
    ...(tag !== undefined && { tags: tag }),
  };
  const { source } = await withClient(world, options, (client) =>
    client.ask('PUT /api/sources/:name {entry}', { name, entry }),
  );
  if (options['json']) return world.print(JSON.stringify(source));
  world.print(`${name} was added to config.yaml.`);
  world.tell(`See whether it works: holdfast source test ${name}`);
}

function pairsOf(given: Options[string], flag: string): Record<string, string> | undefined {
  if (!Array.isArray(given)) return undefined;
  return Object.fromEntries(
    (given as readonly string[]).map((pair) => {
      const at = pair.indexOf('=');
      if (at <= 0) throw new HubError('invalid', `${flag} takes NAME=value; got ${JSON.stringify(pair)}.`);
      return [pair.slice(0, at), pair.slice(at + 1)];
    }),
  );
}

async function remove(world: World, name: string, options: Options): Promise<void> {
  await withClient(world, options, (client) => client.ask('DELETE /api/sources/:name', { name }));
  if (options['json']) return world.print(JSON.stringify({ ok: true }));
  world.print(`${name} is gone from config.yaml.`);
}

async function test(world: World, name: string, options: Options): Promise<void> {
  const { source } = await withClient(world, options, (client) =>
    client.ask('POST /api/sources/:name/test', { name }),
  );
  if (options['json']) world.print(JSON.stringify(source));
  else if (source.state === 'failing') world.print(`${name} does not work: ${source.reason}`);
  else
    world.print(
      `${name} is ${source.state}: ${source.tools} tools of ${source.server?.name} ${source.server?.version} (${source.server?.era}).`,
    );
  if (source.state === 'failing') throw new QuietExit(FAILED);
}

async function get(world: World, name: string, options: Options): Promise<SourceDetail> {
  return withClient(world, options, async (client) => {
    const { source } = await client.ask('GET /api/sources/:name', { name });
    // Where no hub runs nothing is connected: then it is looked at now.
    return source.state === 'stopped' && source.enabled
      ? (await client.ask('POST /api/sources/:name/test', { name })).source
      : source;
  });
}

async function flip(
  world: World,
  { name, enabled }: Readonly<{ name: string; enabled: boolean }>,
  options: Options,
): Promise<void> {
  const { source } = await withClient(world, options, (client) =>
    client.ask('POST /api/sources/:name/switch', { name, enabled }),
  );
  if (options['json']) return world.print(JSON.stringify(source));
  world.print(`${name} is switched ${enabled ? 'on' : 'off'}.`);
}

const LOOK_MS = 500;
const LONGEST_MS = 10 * 60_000;

/** The hub waits for the browser to come back; this waits for the hub. */
async function loginToSource(world: World, name: string, options: Options): Promise<void> {
  await withClient(world, options, async (client) => {
    const { page } = await client.ask('POST /api/sources/:name/login', { name });
    if (page !== null) world.tell(`Open this page and log in:\n\n  ${page}\n`);
    const until = elapsed() + LONGEST_MS;
    while (elapsed() < until && !world.interrupted.aborted) {
      const { source } = await client.ask('POST /api/sources/:name/test', { name });
      if (source.state === 'ready' || source.state === 'quarantined') {
        if (options['json']) return world.print(JSON.stringify({ ok: true, tools: source.tools }));
        return world.print(`Logged in: ${name} has ${source.tools} tools.`);
      }
      await sleep(LOOK_MS, undefined, { signal: world.interrupted }).catch(() => undefined);
    }
    world.tell('Nobody logged in.');
    throw new QuietExit(FAILED);
  });
}

/** Shows what the file would bring; with --yes it is added. The file itself is never changed. */
async function importSources(world: World, file: string, options: Options): Promise<void> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new HubError('not_found', `${file} cannot be read (${reasonOf(error)}).`, {
      hint: 'Name the file of the other client.',
    }).because(error);
  });
  const only = Array.isArray(options['only']) ? new Set(options['only'] as readonly string[]) : undefined;
  const added = await withClient(world, options, async (client) => {
    const { found } = await client.ask('POST /api/sources/import', { text, path: file });
    const chosen = found.filter(({ name }) => only === undefined || only.has(name));
    const good = chosen.filter(({ problem }) => problem === null);
    if (options['yes'] === true)
      for (const { name, entry } of good) await client.ask('PUT /api/sources/:name {entry}', { name, entry });
    return { chosen, good };
  });
  if (options['json'])
    return world.print(
      JSON.stringify({
        found: added.chosen,
        added: options['yes'] === true ? added.good.map(({ name }) => name) : [],
      }),
    );
  if (added.chosen.length === 0) return world.tell(`${file} names no servers.`);
  for (const { name, entry, notes, problem } of added.chosen) {
    world.print(`${name}  ${JSON.stringify(redactValue(entry))}`);
    for (const note of new Set(notes)) world.print(`  ${note}`);
    if (problem !== null) world.print(`  cannot be used: ${problem}`);
  }
  if (options['yes'] === true) world.tell(`${added.good.length} added to config.yaml.`);
  else world.tell('Nothing was changed. Add them with --yes, or some of them with --only <names…> --yes.');
}
