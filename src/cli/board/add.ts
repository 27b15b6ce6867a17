// `board add`: one command for all that a new task says, done whole or not at all.
import type { Command } from 'commander';
import { text as readAll } from 'node:stream/consumers';
import type { Status, Task } from '../../features/board/task.ts';
import { HubError } from '../../kernel/errors.ts';
import { onBoard } from './one.ts';
import type { Client } from '../client.ts';
import { inEditor } from '../terminal/editor.ts';
import { type Options, textOf, textsOf, withDatabase } from '../options.ts';
import { projectOf, teamToWrite, withNew } from '../project-of.ts';
import { shortId } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import { withWords, wordsOf } from './task-fields.ts';
import { findTask } from './task-id.ts';
import type { TaskText } from './task-text.ts';
import type { World } from '../world.ts';

export function addBoardAdd(board: Command, world: World): void {
  withWords(
    withNew(withDatabase(board.command('add')))
      .description('add a task')
      .argument('[title]'),
  )
    .option('--label <label...>', 'words to sort it by')
    .option('--assignee <agent>', 'who is to do it; it waits for them')
    .option('--check <title...>', 'what has to be shown before it is done')
    .option('--after <task...>', 'what has to be done first')
    .option('--parent <task>', 'makes it a part of that task')
    .option('-e, --editor', 'write it as Markdown in $EDITOR')
    .option('--project, --team <id>', 'into this project instead of that of this folder')
    .option('--all', 'into no project at all, for every one')
    .action((title: string | undefined, options: Options) => add(world, title, options));
}

/** What is asked for, from the line or from the editor. */
type Wanted = Omit<TaskText, 'description'> & Readonly<{ title: string; description?: string | undefined }>;

async function add(world: World, title: string | undefined, options: Options): Promise<void> {
  const given = await wantedBy(world, title, options);
  if (options['editor'] !== true)
    return onBoard(world, options, async (client) => added(await create(world, client, { given, options })));
  const { description = '', ...head } = given;
  const blank = { title: '', priority: 0, due: null, labels: [], after: [], agent: null, checks: [] };
  const { readTaskText, renderTaskText } = await import('./task-text.ts');
  const text = renderTaskText({ ...blank, ...head, description });
  return inEditor(world, { name: 'task.md', text }, async (written) => {
    if (written === text) return world.tell('Nothing was added.');
    const { title: said, ...rest } = readTaskText(written);
    if (said === undefined) throw new HubError('invalid', 'A task needs a title.');
    await onBoard(world, options, async (client) =>
      added(await create(world, client, { given: { title: said, ...rest }, options })),
    );
  });
}

function added(task: Task) {
  return { value: task, line: printable(`${shortId(task.id)} added: ${task.title}`) };
}

async function wantedBy(world: World, title: string | undefined, options: Options): Promise<Wanted> {
  if (title === undefined && options['editor'] !== true)
    throw new HubError('invalid', 'A task needs a title.', {
      hint: 'Say `holdfast board add "<title>"`, or write it in your editor with -e.',
    });
  const { description, ...words } = wordsOf(options);
  const labels = textsOf(options, 'label');
  const after = textsOf(options, 'after');
  const checks = textsOf(options, 'check');
  const agent = textOf(options, 'assignee');
  return {
    title: title ?? '',
    ...words,
    ...(description !== undefined && {
      description: description === '-' ? (await readAll(world.stdin)).trim() : description,
    }),
    ...(labels && { labels }),
    ...(after && { after }),
    ...(checks && { checks }),
    ...(agent !== undefined && { agent }),
  };
}

type Creation = Readonly<{ given: Wanted; options: Options }>;

async function create(world: World, client: Client, { given, options }: Creation): Promise<Task> {
  const { ask } = client;
  const { labels = [], checks = [], after = [], agent, status, due, branch, ...words } = given;
  const parent = textOf(options, 'parent');
  const task = await ask('POST /api/board/tasks', {
    ...words,
    ...(typeof due === 'string' && { due }),
    ...(status !== undefined && { status: status as Status }),
    teamId: await teamOfNew(world, client, options),
    ...(parent !== undefined && { parentTaskId: await findTask(client, parent) }),
    dependsOn: await Promise.all(after.map((each) => findTask(client, each))),
  });
  const taskId = task.id;
  try {
    if (labels.length > 0) await ask('PATCH /api/board/tasks/:taskId/labels', { taskId, add: [...labels] });
    for (const title of checks) await ask('POST /api/board/tasks/:taskId/checks', { taskId, title });
    if (typeof branch === 'string')
      await ask('PATCH /api/board/tasks/:taskId', { taskId, branchRef: branch });
    if (typeof agent !== 'string') return task;
    return await ask('POST /api/board/tasks/:taskId/assign', { taskId, assigneeAgentId: agent });
  } catch (error) {
    // Whole or not at all: half of it would have to be looked for.
    await ask('DELETE /api/board/tasks/:taskId', { taskId });
    throw error;
  }
}

/** A part belongs where its whole does, which the hub knows. */
async function teamOfNew(world: World, client: Client, options: Options): Promise<string | undefined> {
  const { team, parent } = options;
  if (parent === undefined) return projectOf(client, options, world.cwd);
  return typeof team === 'string' ? teamToWrite(client, team, options) : undefined;
}
