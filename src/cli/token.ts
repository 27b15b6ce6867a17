import { Command } from 'commander';
import type { Api } from '../features/api.ts';
import type { AgentToken } from '../features/access/token.ts';
import { readDuration } from '../kernel/settings.ts';
import { HubError } from '../kernel/errors.ts';
import { withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { idEnding, shortId } from './short-id.ts';
import { listPrinter } from './terminal/list.ts';
import { localMinute } from './terminal/when.ts';
import type { World } from './world.ts';

/** Agent tokens: a name, a team and a scope that no argument can change. */
export function tokenCommand(world: World): Command {
  const command = new Command('token').description('make, list and revoke tokens for agents');
  withDatabase(command.command('create'))
    .description('make a token; it is shown once')
    .option('--agent <id>', 'who its holder is')
    .option('--runner <name>', 'for a machine that takes runs under this name, and may do nothing else')
    .option('--project, --team <id>', 'the only project its holder sees')
    .option('--scope <name...>', 'what its holder may do, such as board:read (everything an agent may do)')
    .option('--expires <duration>', 'for how long it holds, such as 12h or 30d (until it is revoked)')
    .option('--profile <name>', 'the view through which its holder sees the hub, one of config.yaml or lean')
    .option('--label <text>', 'what it is for')
    .action((options: Options) => create(world, options));
  withDatabase(command.command('list'))
    .description('show the tokens without their secrets')
    .action((options: Options) => list(world, options));
  withDatabase(command.command('revoke'))
    .description('end a token at once')
    .argument('<id>', 'its id, from `holdfast token list`')
    .action((id: string, options: Options) => revoke(world, id, options));
  return command;
}

async function create(world: World, options: Options): Promise<void> {
  const { agent: given, runner, team, scope, expires, label, profile } = options;
  if ((given === undefined) === (runner === undefined))
    throw new HubError('invalid', 'Say either --agent, or --runner, and who it is for.');
  const agent = given ?? runner;
  // What is no scope or no profile the hub refuses.
  const body = {
    agent,
    ...(team !== undefined && { team }),
    ...(scope !== undefined && { scopes: scope }),
    ...(runner !== undefined && { scopes: ['runs:work'], label: label ?? 'runner' }),
    ...(expires !== undefined && { expiresAt: Date.now() + lifeOf(String(expires)) }),
    ...(profile !== undefined && { profile }),
    ...(label !== undefined && { label }),
  } as Api['POST /api/tokens']['given'];
  const { token, record } = await withClient(world, options, (client) =>
    client.ask('POST /api/tokens', body),
  );
  if (options['json']) return world.print(JSON.stringify({ token, ...record }));
  world.print(token);
  world.tell(
    `Token ${record.id} of ${record.agent}. It is not shown again; revoke it with \`holdfast token revoke ${record.id}\`.`,
  );
}

function lifeOf(text: string): number {
  const life = readDuration(text);
  if (life) return life;
  throw new HubError(
    'invalid',
    `--expires must be a duration such as 12h or 30d; got ${JSON.stringify(text)}.`,
  );
}

const printTokens = listPrinter<AgentToken>(
  'There are no agent tokens. Make one with `holdfast token create --agent <id>`.',
  [
    { title: 'ID', cell: ({ id }) => shortId(id) },
    { title: 'AGENT', cell: ({ agent }) => agent, flexible: true },
    { title: 'TEAM', cell: ({ team }) => team ?? '-', flexible: true },
    { title: 'SCOPES', cell: ({ scopes }) => scopes.join(' '), flexible: true },
    { title: 'STATE', cell: ({ state }) => state },
    { title: 'EXPIRES', cell: ({ expiresAt }) => localMinute(expiresAt) },
    { title: 'USED', cell: ({ usedAt }) => localMinute(usedAt) },
    { title: 'LABEL', cell: ({ label }) => label ?? '', flexible: true },
  ],
);

async function list(world: World, options: Options): Promise<void> {
  const { tokens } = await withClient(world, options, (client) => client.ask('GET /api/tokens'));
  printTokens(world, options, { tokens });
}

async function revoke(world: World, id: string, options: Options): Promise<void> {
  const { record } = await withClient(world, options, async (client) => {
    const { tokens } = await client.ask('GET /api/tokens');
    const whole = idEnding(
      tokens.map((each) => each.id),
      id,
      'tokens',
    );
    return client.ask('DELETE /api/tokens/:id', { id: whole });
  });
  if (options['json']) return world.print(JSON.stringify(record));
  world.print(`Token ${shortId(record.id)} of ${record.agent} is revoked.`);
}
