import { Command } from 'commander';
import { withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { shortId } from './short-id.ts';
import { printable } from './table.ts';
import { localTime } from './when.ts';
import type { World } from './world.ts';

/** The last change that a person made to the board from here; again for the one before it. */
export function undoCommand(world: World): Command {
  return withDatabase(new Command('undo').description('take back your last change to the board')).action(
    async (options: Options) => {
      const undone = await withClient(world, options, (client) => client.ask('PUT /api/board/undone'));
      if (options['json']) return world.print(JSON.stringify(undone));
      const { task, at, lost } = undone;
      const state = task.dropped ? 'off the board again' : `${task.status} again`;
      world.print(printable(`${shortId(task.id)} is as before ${localTime(at)}, ${state}: ${task.title}`));
      if (lost === 'claim')
        world.tell('The claim that ended with that change is over; the task can be claimed anew.');
    },
  );
}
