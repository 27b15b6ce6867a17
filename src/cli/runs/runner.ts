// `holdfast runner`: this machine takes runs of a hub elsewhere; and a look at those who do.
import { Command } from 'commander';
import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join, resolve } from 'node:path';
import type { ShownRunner } from '../../features/dispatch/pool/wire.ts';
import { HubError } from '../../kernel/errors.ts';
import { createLog } from '../../kernel/log.ts';
import { withClient } from '../client.ts';
import { configFrom, type Options, textOf, textsOf, withDatabase } from '../options.ts';
import { listPrinter } from '../terminal/list.ts';
import { localTime } from '../terminal/when.ts';
import { wholeNumber } from '../whole-number.ts';
import type { World } from '../world.ts';

export function runnerCommand(world: World): Command {
  const command = new Command('runner')
    .description('take runs of a hub on this machine, until Ctrl-C; `runner list` shows who does')
    .option('--hub <url>', 'the hub: https, or http on this machine')
    .option('--token-file <path>', 'the file with the token of `holdfast token create --runner NAME`')
    .option('--name <name>', 'the folder it keeps its things in (the name of this machine)')
    .option('--slots <number>', 'runs at once (2)')
    .option('--label <label...>', 'what this machine has, such as gpu')
    .option('--project <project=folder...>', 'a checkout of a project that is here already; it is only read')
    .option('--json', 'one JSON text per line')
    .action((options: Options) => run(world, options));
  withDatabase(command.command('list'))
    .description('the machines that take runs')
    .action((_: Options, sub: Command) => list(world, sub.optsWithGlobals<Options>()));
  withDatabase(command.command('drain'))
    .description('let a runner finish what it has and take nothing more')
    .argument('<name>', 'its name')
    .option('--undo', 'it takes runs again')
    .action((name: string, _: Options, sub: Command) => drain(world, name, sub.optsWithGlobals<Options>()));
  return command;
}

const TOKEN_HINT = 'On the hub: holdfast token create --runner NAME > runner.token';

async function run(world: World, options: Options): Promise<void> {
  const [hub, tokenFile] = [textOf(options, 'hub'), textOf(options, 'tokenFile')];
  if (hub === undefined || tokenFile === undefined)
    throw new HubError('invalid', 'A runner needs --hub and --token-file.', {
      hint: TOKEN_HINT,
    });
  const { createRunnerLink, requireHubUrl } = await import('../../features/dispatch/runner/link.ts');
  const { runRunner } = await import('../../features/dispatch/runner/runner.ts');
  const config = await configFrom(world, {});
  const name = textOf(options, 'name') ?? hostname();
  if (!/^[A-Za-z0-9][\w.-]{0,63}$/.test(name)) throw new HubError('invalid', '--name must be a short word.');
  const link = createRunnerLink(requireHubUrl(hub), readToken(tokenFile), world.env);
  const isJson = options['json'] === true;
  const parts = {
    config,
    env: world.env,
    log: createLog(config.logLevel),
    link,
    home: join(config.home, 'runner', name),
    projects: projectsOf(textsOf(options, 'project') ?? []),
    wish: {
      slots: slotsOf(options['slots']),
      labels: (textsOf(options, 'label') ?? []).map((each) => each.toLowerCase()),
    },
    tell: (news: object) => {
      if (isJson) world.print(JSON.stringify(news));
      else world.tell(wordsOf(news as Parameters<typeof wordsOf>[0], { name, hub }));
    },
  };
  await world.rest?.();
  await runRunner(parts, world.interrupted);
}

type News = Readonly<{ kind: string; run?: string; attempt?: number }>;

function wordsOf(
  { kind, run: id, attempt }: News,
  { name, hub }: Readonly<{ name: string; hub: string }>,
): string {
  if (kind === 'ready') return `${name} takes runs of ${hub}.`;
  if (kind === 'away') return `${hub} does not answer; what runs goes on, and the hub is asked again.`;
  return `${kind === 'began' ? 'Began' : 'Ended'} run ${id?.slice(-8)}, attempt ${attempt}.`;
}

function readToken(path: string): string {
  let token: string;
  try {
    token = readFileSync(resolve(path), 'utf8').trim();
  } catch (error) {
    throw new HubError('invalid', `The token file ${path} cannot be read.`).because(error);
  }
  if (token !== '') return token;
  throw new HubError('invalid', `The token file ${path} is empty.`, { hint: TOKEN_HINT });
}

function slotsOf(given: Options[string]): number {
  const slots = given === undefined ? 2 : wholeNumber('--slots', given);
  if (slots >= 1 && slots <= 64) return slots;
  throw new HubError('invalid', '--slots must be a number from 1 to 64.');
}

function projectsOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((each) => {
      const at = each.indexOf('=');
      if (at < 1) throw new HubError('invalid', '--project must be PROJECT=FOLDER.');
      return [each.slice(0, at), resolve(each.slice(at + 1))];
    }),
  );
}

const printRunners = listPrinter<ShownRunner>(
  'There are no runners. `holdfast token create --runner NAME` makes a token for one.',
  [
    { title: 'NAME', cell: ({ name }) => name, flexible: true },
    { title: 'STATE', cell: ({ state }) => state },
    { title: 'BUSY', cell: ({ busy, slots }) => `${busy}/${slots}` },
    { title: 'AGENTS', cell: ({ agents }) => agents.join(' '), flexible: true },
    { title: 'LABELS', cell: ({ labels }) => labels.join(' '), flexible: true },
    { title: 'SEEN', cell: ({ seenAt }) => localTime(Date.parse(seenAt)) },
    { title: 'VERSION', cell: ({ version }) => version },
  ],
);

async function list(world: World, options: Options): Promise<void> {
  const { runners } = await withClient(world, options, (client) => client.ask('GET /v1/runners'));
  printRunners(world, options, { runners });
}

async function drain(world: World, name: string, options: Options): Promise<void> {
  const runner = await withClient(world, options, (client) =>
    client.ask('POST /v1/runners/:name/drain', { name, ...(options['undo'] === true && { undo: true }) }),
  );
  if (options['json']) return world.print(JSON.stringify(runner));
  if (options['undo']) return world.print(`${runner.name} takes runs again.`);
  const has = runner.busy === 1 ? 'the run' : `the ${runner.busy} runs`;
  const first = runner.busy === 0 ? '' : `finishes ${has} it has and `;
  world.print(`${runner.name} ${first}takes nothing more.`);
}
