import { Command } from 'commander';
import type { Api } from '../features/api.ts';
import { withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { shapeLine } from './shape-view.ts';
import { idEnding, shortId } from './short-id.ts';
import { listPrinter } from './terminal/list.ts';
import { localMinute } from './terminal/when.ts';
import type { World } from './world.ts';

type Grant = Api['GET /api/tools/grants']['answer']['grants'][number];

/** What was allowed for always: seen, counted, and taken back. */
export function grantsCommand(world: World): Command {
  const command = new Command('grants').description('what was allowed for always, and taking it back');
  withDatabase(command.command('list', { isDefault: true }))
    .description('grants and how often they were used')
    .option('--all', 'also those that were revoked or have expired')
    .action((options: Options) => list(world, options));
  withDatabase(command.command('revoke'))
    .description('ask again from now on')
    .argument('<id>', 'its id, from `holdfast grants`')
    .action((id: string, options: Options) => revoke(world, id, options));
  return command;
}

const printGrants = listPrinter<Grant>('Nothing is allowed for always.', [
  { title: 'ID', cell: ({ id }) => shortId(id) },
  { title: 'TOOL', cell: ({ toolName }) => toolName },
  // Never cut: it says whom the grant is for, and for whom it is not.
  { title: 'FOR', cell: ({ holder }) => holder },
  {
    title: 'ALLOWS',
    cell: ({ shape }) => shapeLine(shape),
    flexible: true,
  },
  { title: 'FOLDER', cell: ({ folder }) => folder ?? '-', flexible: true },
  { title: 'USES', cell: ({ uses }) => String(uses) },
  { title: 'LAST USED', cell: ({ lastUsedAt }) => localMinute(lastUsedAt) },
  {
    title: 'EXPIRES',
    cell: ({ expiresAt, revokedAt }) => (revokedAt === null ? localMinute(expiresAt) : 'revoked'),
  },
]);

async function list(world: World, options: Options): Promise<void> {
  const all = options['all'] === true || undefined;
  const { grants } = await withClient(world, options, (client) =>
    client.ask('GET /api/tools/grants', { all }),
  );
  printGrants(world, options, { grants });
}

async function revoke(world: World, id: string, options: Options): Promise<void> {
  const { grant } = await withClient(world, options, async (client) => {
    const { grants } = await client.ask('GET /api/tools/grants', { all: true });
    const ids = grants.map((each) => each.id);
    return client.ask('DELETE /api/tools/grants/:id', { id: idEnding(ids, id, 'grants') });
  });
  if (options['json']) return world.print(JSON.stringify(grant));
  world.print(
    `Grant ${shortId(grant.id)} for ${grant.toolName} is revoked; it was used ${grant.uses} times.`,
  );
}
