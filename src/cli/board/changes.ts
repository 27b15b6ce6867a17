import type { Command } from 'commander';
import { HubError } from '../../kernel/errors.ts';
import { addBoardAdd } from './add.ts';
import { claimOf, nowIs, onBoard, onTask } from './one.ts';
import type { Client } from '../client.ts';
import { openElsewhere } from './elsewhere.ts';
import { type Options, withDatabase } from '../options.ts';
import { readProjectOf, teamToRead, withTeam } from '../project-of.ts';
import { shortId } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import { findTask } from './task-id.ts';
import type { World } from '../world.ts';

/** `board add|claim|release|comment|link`: one call each, answered with what is now true. */
export function addBoardChanges(board: Command, world: World): void {
  const change = (name: string, description: string) =>
    withDatabase(board.command(name)).description(description);
  const held = (command: Command) =>
    command.option('--as <agent>', 'who you are').option('--fence <number>', 'the number of your claim');

  addBoardAdd(board, world);
  withTeam(change('claim', 'claim a task for an agent, or the most urgent ready one'))
    .argument('[task]')
    .requiredOption('--as <agent>', 'who takes it')
    .action((task: string | undefined, options: Options) => claim(world, task, options));
  held(change('release', 'give a task back'))
    .argument('<task>')
    .action((task: string, options: Options) =>
      onTask(world, { task, options }, async ({ ask }, taskId) =>
        nowIs(await ask('POST /api/board/tasks/:taskId/release', { taskId, ...claimOf(options) })),
      ),
    );
  change('comment', 'comment on a task')
    .argument('<task>')
    .argument('<text>')
    .option('--as <agent>', 'who you are; a person unless given')
    .action((task: string, body: string, options: Options) =>
      onTask(world, { task, options }, async ({ ask }, taskId) => {
        const { as } = options;
        const author = typeof as === 'string' ? { authorAgentId: as } : { authorType: 'user' as const };
        const value = await ask('POST /api/board/tasks/:taskId/comments', { taskId, body, ...author });
        return { value, line: 'Comment added.' };
      }),
    );
  change('link', 'make a task wait for another')
    .argument('<task>')
    .argument('<dependency>', 'what has to be done first')
    .action((task: string, dependency: string, options: Options) =>
      onTask(world, { task, options }, async (client, taskId) => {
        const dependsOnTaskId = await findTask(client, dependency);
        const link = { taskId, dependsOnTaskId };
        return {
          value: await client.ask('POST /api/board/tasks/:taskId/dependencies', link),
          line: 'Linked.',
        };
      }),
    );
}

function claim(world: World, given: string | undefined, options: Options): Promise<void> {
  const assigneeAgentId = options['as'] as string;
  return onBoard(world, options, async (client) => {
    const task =
      given === undefined
        ? await claimNext(world, client, options)
        : await client.ask('POST /api/board/tasks/:taskId/claim', {
            taskId: await findTask(client, given),
            assigneeAgentId,
          });
    const holder = printable(task.assigneeAgentId ?? '');
    return {
      value: task,
      line: `${shortId(task.id)} claimed by ${holder}: ${printable(task.title)}`,
    };
  });
}

/** Of the team that is named; else of the project of this folder, and of what belongs to none. */
async function claimNext(world: World, client: Client, options: Options) {
  const { as, team } = options;
  const where =
    typeof team === 'string'
      ? { teamId: await teamToRead(client, team) }
      : { teamId: await readProjectOf(client, options, world), orNone: true };
  const { task } = await client.ask('POST /api/board/claim-next', {
    assigneeAgentId: as as string,
    ...(where.teamId !== undefined && where),
  });
  if (task) return task;
  const elsewhere = await openElsewhere(client, where.teamId);
  throw new HubError('not_found', 'Nothing is ready to be claimed.', {
    hint: ['Look with `holdfast board list`.', elsewhere].filter(Boolean).join(' '),
  });
}
