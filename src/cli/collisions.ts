// `holdfast collisions`: branches that are worked on and do not go together.
import { Command } from 'commander';
import type { Collision, CollisionSide } from '../features/landing/collisions/collision.ts';
import { withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { shortId } from './short-id.ts';
import { listPrinter } from './terminal/list.ts';
import { printable } from './terminal/table.ts';
import type { World } from './world.ts';

export function collisionsCommand(world: World): Command {
  return withDatabase(new Command('collisions'))
    .description('branches that are worked on and do not go together')
    .option('--project <project>', 'of one project only')
    .action((options: Options) => show(world, options));
}

async function show(world: World, options: Options): Promise<void> {
  const project = typeof options['project'] === 'string' ? options['project'] : undefined;
  const answer = await withClient(world, options, (client) =>
    client.ask('GET /api/collisions', { ...(project !== undefined && { project }) }),
  );
  printCollisions(world, options, answer);
}

const NONE = 'All branches that are worked on go together, as far as a hub has looked.';
const printCollisions = listPrinter<Collision>(NONE, [
  { title: 'FIRST', cell: ({ a }) => sideOf(a) },
  { title: 'SECOND', cell: ({ b }) => sideOf(b) },
  { title: 'FILES', cell: ({ files }) => files.map(fileOf).join(', '), flexible: true },
]);

function sideOf({ branch, task, agent }: CollisionSide): string {
  const who = [...(task === null ? [] : [shortId(task)]), ...(agent === null ? [] : [printable(agent)])];
  return `${printable(branch)}${who.length === 0 ? '' : ` (${who.join(', ')})`}`;
}

function fileOf({ path, ranges }: Collision['files'][number]): string {
  const lines = ranges.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`));
  return `${printable(path)}${lines.length === 0 ? '' : `:${lines.join(',')}`}`;
}
