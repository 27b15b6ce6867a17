import { text as readAll } from 'node:stream/consumers';
import { Argument, Command, InvalidArgumentError } from 'commander';
import { holdfastCommand } from '../../features/attach/entry.ts';
import { legible } from '../../features/attach/files/connection.ts';
import { readText } from '../../features/attach/files/receipts.ts';
import { HOOK_CLIENTS, type HookClient, isHookClient } from '../../features/attach/hooks/moments.ts';
import { toHubError } from '../../kernel/errors.ts';
import { withClient } from '../client.ts';
import { guardCommit } from './git-guard.ts';
import { installGitHook } from './git-hook.ts';
import { databaseWords } from './command.ts';
import { packFor } from './packs.ts';
import { readHookEvent, runHook } from './run.ts';
import { argumentsOf, configFrom, type Options, textOf, withDatabase } from '../options.ts';
import { pathNote } from '../setup/own-command.ts';
import { teamToAttach, withNew } from '../project-of.ts';
import { hookTarget } from '../setup/targets.ts';
import { type Column, renderTable } from '../terminal/table.ts';
import type { World } from '../world.ts';

/** Hook packs are printed here and put in by `setup`, shown first: what a client runs is for its owner to decide. */
export function hooksCommand(world: World): Command {
  const hooks = new Command('hooks').description(
    'let the sessions of a client register themselves and see their mail',
  );
  withDatabase(hooks.command('list'))
    .description('which clients have the hooks, and in which file')
    .action((options: Options) => list(world, options));
  fixed(withDatabase(hooks.command('print')))
    .description('print what to put into the settings of a client')
    .addArgument(new Argument('<client>').choices(HOOK_CLIENTS).argParser(readClient))
    .option('--project', 'for a file that others get, too: without paths of this machine')
    .action((client: HookClient, options: Options) => print(world, client, options));
  fixed(withDatabase(hooks.command('run')))
    .description('what the printed hooks call; reads the event from stdin')
    .addArgument(new Argument('<client>').choices(HOOK_CLIENTS).argParser(readClient))
    .action((client: HookClient, options: Options) => run(world, client, options));
  withDatabase(hooks.command('git'))
    .description('let the commits of this repository keep to reservations; shows the change first')
    .option('--yes', 'ask nothing')
    .option('--dry-run', 'show the change, and make none')
    .action((options: Options) => installGitHook(world, options));
  withDatabase(hooks.command('guard'))
    .description('what the git hook calls before a commit')
    .action((options: Options) => guardCommit(world, options));
  return hooks;
}

function fixed(command: Command): Command {
  return withNew(command)
    .option('--agent <name>', 'the address of the session (HOLDFAST_AGENT_ID, else its folder and client)')
    .option('--team <id>', 'its team (else the project of its folder)');
}

type Hooked = Readonly<{ client: HookClient; file: string; has: boolean }>;

async function list(world: World, options: Options): Promise<void> {
  const { home } = await configFrom(world, options);
  const around = { env: world.env, cwd: world.cwd, platform: process.platform, home };
  const clients = HOOK_CLIENTS.map((client): Hooked => {
    const { file, text, under, id } = hookTarget(client, around);
    const whole = readText(file);
    const has = whole !== undefined && legible(file, () => text.read(whole, [...under, id])) !== undefined;
    return { client, file, has };
  });
  if (options['json']) return world.print(JSON.stringify({ clients }));
  const columns: readonly Column<Hooked>[] = [
    { title: 'CLIENT', cell: ({ client }) => client },
    { title: 'HOOKS', cell: ({ has }) => (has ? 'yes' : 'no: holdfast setup --hooks') },
    { title: 'FILE', cell: ({ file }) => file, flexible: true },
  ];
  world.print(renderTable(columns, clients, world.columns));
}

async function print(world: World, client: HookClient, options: Options): Promise<void> {
  const isShared = options['project'] === true;
  const { project: _, ...settings } = options;
  await teamToAttach(world, settings);
  const place = isShared ? [] : databaseWords(await configFrom(world, settings));
  const pack = packFor(client, {
    holdfast: isShared ? ['holdfast'] : holdfastCommand(),
    options: [...place, ...argumentsOf(options, ['agent', 'team']), ...newElsewhere(isShared, options)],
  });
  if (options['json']) return world.print(JSON.stringify(pack));
  const notes = [pack.note, isShared ? pathNote(world) : undefined].filter((note) => note !== undefined);
  world.tell([`Put this into ${pack.file}, beside what is already there:`, ...notes].join('\n'));
  world.print(pack.text);
}

/** The team was asked for here; the hubs of those who get the file may not have it yet. */
function newElsewhere(isShared: boolean, { team }: Options): string[] {
  return isShared && team !== undefined ? ['--new'] : [];
}

/** A hook must never be in the way of its client: whatever goes wrong is told on stderr, and the client goes on. */
async function run(world: World, client: HookClient, options: Options): Promise<void> {
  try {
    const event = readHookEvent(await readAll(world.stdin), {
      client,
      agent: textOf(options, 'agent'),
      team: textOf(options, 'team'),
      isNew: options['new'] === true,
      env: world.env,
      cwd: world.cwd,
    });
    if (event === undefined) return;
    await withClient(world, options, (hub) =>
      runHook(
        {
          hear: (heard) => hub.ask('POST /api/hooks/event', { ...heard, line: [...heard.line] }),
          ack: (arrived) => hub.ask('POST /v1/peers/:peerId/messages/ack', arrived),
        },
        event,
        world.print,
      ),
    );
  } catch (error) {
    world.tell(`holdfast: ${toHubError(error).message}`);
  }
}

function readClient(name: string): HookClient {
  if (isHookClient(name)) return name;
  throw new InvalidArgumentError(`Known: ${HOOK_CLIENTS.join(', ')}.`);
}
