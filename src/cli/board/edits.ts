import type { Command } from 'commander';
import type { Status, Task } from '../../features/board/task.ts';
import { HubError } from '../../kernel/errors.ts';
import { type BoardAnswer, claimOf } from './one.ts';
import { changeTasks, type Chosen, withTasks } from './selected.ts';
import { withClient } from '../client.ts';
import type { Options } from '../options.ts';
import { shortId } from '../short-id.ts';
import { type Column, printable, renderTable } from '../terminal/table.ts';
import { type Edits, editsOf, withEdits } from './task-fields.ts';
import type { World } from '../world.ts';

/** `board edit|move|done|assign|cancel|reopen|block|unblock|drop|archive|label`: of one task, of several, or of all that `--where` finds. */
export function addBoardEdits(board: Command, world: World): void {
  const many = (name: string, description: string) => withTasks(board.command(name)).description(description);

  withEdits(many('edit', 'change what tasks say'))
    .option('-e, --editor', 'open one task as Markdown in $EDITOR')
    .action((given: string[], options: Options) =>
      options['editor'] === true
        ? import('./editor.ts').then(({ editInEditor }) => editInEditor(world, given, options))
        : patch(world, { given, options, deed: { verb: 'Edit' } }, editsOf(options)),
    );
  many('move', 'put tasks into another status')
    .requiredOption('--to <status>', 'backlog, todo, in_progress, in_review, blocked, done or cancelled')
    .action((given: string[], options: Options) => moveTo(world, given, options));
  many('done', 'finish tasks, also what nobody has begun')
    .option('--as <agent>', 'who finished them, if not you')
    .option('--fence <number>', 'with --as: the number of the claim')
    .option('--override <reason>', 'although a required check has not passed')
    .action((given: string[], options: Options) => finish(world, given, options));
  many('cancel', 'say that tasks will not be done').action((given: string[], options: Options) =>
    patch(world, { given, options, deed: { verb: 'Cancel', isRisky: true } }, { status: 'cancelled' }),
  );
  many('block', 'say that tasks cannot go on')
    .option('--because <text>', 'kept as a comment')
    .action((given: string[], options: Options) => block(world, given, options));
  many('unblock', 'say that blocked tasks can go on: they are todo again').action(
    (given: string[], options: Options) => unblock(world, given, options),
  );
  many('reopen', 'say that finished tasks are not: they are todo again').action(
    (given: string[], options: Options) =>
      changeTasks(
        world,
        // What is finished is meant, without having to say so.
        { given, options: whereAlso(options, 'done'), deed: { verb: 'Reopen' } },
        async ({ ask }, taskId) => nowHeld(await ask('PUT /api/board/tasks/:taskId/reopened', { taskId })),
      ),
  );
  many('assign', 'give ready tasks to an agent; they wait for it')
    .requiredOption('--to <agent>', 'who is to do them')
    .action((given: string[], options: Options) => {
      const assigneeAgentId = options['to'] as string;
      const deed = { verb: 'Assign', so: ` to ${printable(assigneeAgentId)}` };
      return changeTasks(world, { given, options, deed }, async ({ ask }, taskId) =>
        nowHeld(await ask('POST /api/board/tasks/:taskId/assign', { taskId, assigneeAgentId })),
      );
    });
  many('drop', 'take tasks off the board; their history stays').action((given: string[], options: Options) =>
    changeTasks(world, { given, options, deed: { verb: 'Drop', isRisky: true } }, async ({ ask }, taskId) => {
      const task = await ask('DELETE /api/board/tasks/:taskId', { taskId });
      return { value: task, line: `${shortId(task.id)} dropped: ${printable(task.title)}` };
    }),
  );
  many('archive', 'put finished tasks out of sight of lists')
    .option('--undo', 'back into sight')
    .action((given: string[], options: Options) => archive(world, given, options));
  many('label', 'sort tasks by words; without tasks, show the labels there are')
    .option('--add <label...>')
    .option('--remove <label...>')
    .action((given: string[], options: Options) => label(world, given, options));
}

function patch(world: World, chosen: Chosen, edits: Edits): Promise<void> {
  return changeTasks(world, chosen, async ({ ask }, taskId) =>
    nowHeld(await ask('PATCH /api/board/tasks/:taskId', { taskId, ...edits })),
  );
}

function moveTo(world: World, given: readonly string[], options: Options): Promise<void> {
  const status = options['to'] as Status;
  if (status === 'done') return finish(world, given, options);
  const deed = { verb: 'Move', so: ` to ${printable(status)}`, isRisky: status === 'cancelled' };
  return patch(world, { given, options, deed }, { status });
}

/** A person just says so; an agent has to hold what it finishes. */
function finish(world: World, given: readonly string[], options: Options): Promise<void> {
  const { override, as } = options;
  const more = typeof override === 'string' ? { override: { reason: override } } : {};
  return changeTasks(world, { given, options, deed: { verb: 'Finish' } }, async ({ ask }, taskId) =>
    nowHeld(
      typeof as === 'string' || options['fence'] !== undefined
        ? await ask('PATCH /api/board/tasks/:taskId', {
            taskId,
            status: 'done',
            ...more,
            ...claimOf(options),
          })
        : await ask('PUT /api/board/tasks/:taskId/finished', { taskId, ...more }),
    ),
  );
}

function nowHeld(task: Task): BoardAnswer {
  const isOver = task.status === 'done' || task.status === 'cancelled';
  const holder = task.assigneeAgentId === null || isOver ? '' : `, ${task.assigneeAgentId}`;
  return { value: task, line: printable(`${shortId(task.id)} is ${task.status}${holder}: ${task.title}`) };
}

function block(world: World, given: readonly string[], options: Options): Promise<void> {
  const { because } = options;
  return changeTasks(world, { given, options, deed: { verb: 'Block' } }, async ({ ask }, taskId) => {
    const blocked = await ask('PATCH /api/board/tasks/:taskId', { taskId, status: 'blocked' });
    if (because !== undefined)
      await ask('POST /api/board/tasks/:taskId/comments', {
        taskId,
        body: `Blocked: ${String(because)}`,
        authorType: 'user',
      });
    return nowHeld(blocked);
  });
}

/** Back to todo, and only what is blocked. */
function unblock(world: World, given: readonly string[], options: Options): Promise<void> {
  const chosen = { given, options: whereAlso(options, 'status:blocked'), deed: { verb: 'Unblock' } };
  return changeTasks(world, chosen, async ({ ask }, taskId) => {
    const { task } = await ask('GET /api/board/tasks/:taskId', { taskId, commentLimit: 1 });
    if (task.status !== 'blocked')
      throw new HubError('conflict', `${shortId(taskId)} is ${task.status}: there is nothing to unblock.`);
    return nowHeld(await ask('PATCH /api/board/tasks/:taskId', { taskId, status: 'todo' }));
  });
}

function whereAlso(options: Options, term: string): Options {
  const { where } = options;
  return typeof where === 'string' ? { ...options, where: `${where} ${term}` } : options;
}

function archive(world: World, given: readonly string[], options: Options): Promise<void> {
  const archived = options['undo'] !== true;
  // What is finished is meant, and what is out of sight, without having to say so.
  const chosen = {
    given,
    options: whereAlso(options, archived ? 'done' : 'archived'),
    deed: { verb: archived ? 'Archive' : 'Bring back' },
  };
  return changeTasks(world, chosen, async ({ ask }, taskId) => {
    const value = await ask('PUT /api/board/tasks/:taskId/archived', { taskId, archived });
    return { value, line: `${shortId(value.taskId)} is ${archived ? 'archived' : 'back'}` };
  });
}

async function label(world: World, given: readonly string[], options: Options): Promise<void> {
  const { add, remove, where } = options;
  if (given.length === 0 && where === undefined) return showLabels(world, options);
  if (add === undefined && remove === undefined)
    throw new HubError('invalid', 'There is nothing to change.', { hint: 'Say --add or --remove.' });
  const change = {
    ...(Array.isArray(add) && { add: add as string[] }),
    ...(Array.isArray(remove) && { remove: remove as string[] }),
  };
  await changeTasks(world, { given, options, deed: { verb: 'Label' } }, async ({ ask }, taskId) => {
    const value = await ask('PATCH /api/board/tasks/:taskId/labels', { taskId, ...change });
    return { value, line: `${shortId(value.taskId)} has ${value.labels.join(', ') || 'no labels'}` };
  });
}

async function showLabels(world: World, options: Options): Promise<void> {
  const { labels } = await withClient(world, options, ({ ask }) => ask('GET /api/board/labels'));
  if (options['json']) return world.print(JSON.stringify({ labels }));
  if (labels.length === 0)
    return world.tell('No task has a label. Add one with `holdfast board label <task> --add <label>`.');
  const columns: readonly Column<(typeof labels)[number]>[] = [
    { title: 'LABEL', cell: (row) => row.label, flexible: true },
    { title: 'TASKS', cell: (row) => String(row.taskIds.length) },
  ];
  world.print(renderTable(columns, labels, world.columns));
}
