import type { Command } from 'commander';
import { type Options, withDatabase } from '../options.ts';
import { TRAVEL_FILE } from './travel-name.ts';
import type { World } from '../world.ts';

/** `board sync`: the board of the project and the file that travels with its repository say the same afterwards. */
export function addBoardSync(board: Command, world: World): void {
  withDatabase(board.command('sync'))
    .description(`bring ${TRAVEL_FILE} and the board of this project into step, both ways`)
    .option('--team <id>', 'of this team instead of the project of this folder')
    .option('--trust', 'take what others wrote as your own: new tasks are work at once, and none is marked')
    .option('--again', 'take also what you took back with `undo`')
    .option('--dry-run', 'say what it would do, and change nothing')
    .action(async (options: Options) => {
      // What reads and writes the file is loaded by whoever needs it: `board` itself is asked often.
      const { sync } = await import('./in-step.ts');
      await sync(world, options);
    });
}
