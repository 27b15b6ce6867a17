import type { Command } from 'commander';
import type { Event } from '../kernel/event.ts';
import { withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { readProjectOf, withTeam } from './project-of.ts';
import { printable } from './table.ts';
import { shortId } from './task-id.ts';
import { clockTime } from './when.ts';
import type { World } from './world.ts';

export function addBoardWatch(board: Command, world: World): void {
  withTeam(withDatabase(board.command('watch')))
    .description('tell what happens on the board until Ctrl-C')
    .option('--since <number>', 'begin with the events after this one')
    .action((options: Options) => watch(world, options));
}

async function watch(world: World, options: Options): Promise<void> {
  const since = typeof options['since'] === 'string' ? `&since=${encodeURIComponent(options['since'])}` : '';
  await withClient(world, options, async (client) => {
    const project = await readProjectOf(client, options, world);
    for await (const { event, data } of client.follow(`/api/events?kinds=task.*${since}`, world.interrupted)) {
      if (event === 'message' && !isOf(project, data as Event)) continue;
      if (options['json']) world.print(JSON.stringify(event === 'message' ? data : { [event]: data }));
      else if (event === 'message') world.print(describe(data as Event));
      else world.tell(`(${event}) ${JSON.stringify(data)}`);
    }
  });
}

/** What belongs to no team is everybody's. */
function isOf(project: string | undefined, { team }: Event): boolean {
  return project === undefined || team === undefined || team === project;
}

function describe({ at, kind, subject, actor, team, data = {} }: Event): string {
  const known = Object.entries(data).filter(([, value]) => value !== null);
  const facts = known.map(([name, value]) => `${name}=${String(value)}`);
  return printable([clockTime(at), kind, shortId(subject), `by ${actor.id}`, ...(team ? [`team=${team}`] : []), ...facts].join(' '));
}
