import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Command } from 'commander';
import { FAMILY_FACTS, type NamedFamily } from '../features/dispatch/agents/families.ts';
import type { ShownAgent } from '../features/dispatch/agents/view.ts';
import { HubError } from '../kernel/errors.ts';
import { withClient } from './client.ts';
import { configFrom, type Options, withDatabase } from './options.ts';
import { type Column, renderTable } from './terminal/table.ts';
import type { World } from './world.ts';

/** Whom work can be handed to, and why not to others. */
export function agentsCommand(world: World): Command {
  const agents = withDatabase(new Command('agents'))
    .description('the programs that work can be handed to, and why others cannot be called')
    .action((options: Options) => list(world, options));
  agents
    .command('install')
    .description('show how the ACP adapter of a family is installed for this hub alone; --yes does it')
    .argument('<family>', 'claude or codex')
    .option('--yes', 'do it')
    .action((family: string, options: Options) => install(world, family, options));
  return agents;
}

const COLUMNS: readonly Column<ShownAgent>[] = [
  { title: 'AGENT', cell: ({ instance }) => instance },
  { title: 'FAMILY', cell: ({ family }) => family },
  { title: 'LANE', cell: ({ lane, callable }) => (callable ? lane : '') },
  { title: 'MODE', cell: ({ mode }) => mode },
  {
    title: 'CALLABLE',
    cell: ({ callable, reason }) => (callable ? 'yes' : `no: ${reason ?? ''}`),
    flexible: true,
  },
];

async function list(world: World, options: Options): Promise<void> {
  const answer = await withClient(world, options, (client) => client.ask('GET /v1/agents'));
  if (options['json']) return world.print(JSON.stringify(answer));
  world.print(renderTable(COLUMNS, answer.agents, world.columns));
  world.tell(
    'Programs that `holdfast run` and `holdfast send` can hand work to. Who works here now: `holdfast peer`.',
  );
}

async function install(world: World, family: string, options: Options): Promise<void> {
  const adapter = Object.hasOwn(FAMILY_FACTS, family)
    ? FAMILY_FACTS[family as NamedFamily].acp.adapter
    : undefined;
  if (!adapter) {
    throw new HubError('invalid', `${family} needs no adapter, or is not known.`, {
      hint: 'claude and codex have one; gemini and opencode speak ACP themselves.',
    });
  }
  const folder = join((await configFrom(world, {})).home, 'adapters');
  const args = ['install', '--save-exact', '--prefix', folder, `${adapter.package}@${adapter.version}`];
  world.print(`npm ${args.join(' ')}`);
  if (!options['yes'])
    return world.tell('Nothing was done: this is what --yes does. The adapter is for this hub alone.');
  const npm = spawn('npm', args, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code] = (await once(npm, 'exit')) as [number | null];
  if (code !== 0)
    throw new HubError('unavailable', `npm ended with code ${code}.`, {
      retryable: false,
      hint: 'See what it said above.',
    });
}
