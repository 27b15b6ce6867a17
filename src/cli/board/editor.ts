// `board edit -e`: the whole task in an editor, and what was changed there done to it.
import type { Status } from '../../features/board/task.ts';
import { HubError } from '../../kernel/errors.ts';
import { onBoard } from './one.ts';
import type { Client } from '../client.ts';
import { inEditor } from '../terminal/editor.ts';
import type { Options } from '../options.ts';
import { shortId } from '../short-id.ts';
import { printable } from '../terminal/table.ts';
import { findTask } from './task-id.ts';
import { readTaskText, renderTaskText, type TaskText } from './task-text.ts';
import type { World } from '../world.ts';

export async function editInEditor(world: World, given: readonly string[], options: Options): Promise<void> {
  const [one, ...more] = given;
  if (one === undefined || more.length > 0 || options['where'] !== undefined)
    throw new HubError('invalid', 'An editor opens one task: name one.');
  await onBoard(world, options, async (client) => {
    const taskId = await findTask(client, one);
    const before = await textOf(client, taskId);
    const text = renderTaskText(before);
    return inEditor(world, { name: `${shortId(taskId)}.md`, text }, async (written) => {
      if (written !== text) await applyText(client, taskId, { before, after: readTaskText(written) });
      const { task } = await client.ask('GET /api/board/tasks/:taskId', { taskId, commentLimit: 1 });
      const what = written === text ? 'unchanged' : `is ${task.status}`;
      return { value: task, line: printable(`${shortId(taskId)} ${what}: ${task.title}`) };
    });
  });
}

async function textOf({ ask }: Client, taskId: string): Promise<TaskText> {
  const { task, dependencies } = await ask('GET /api/board/tasks/:taskId', { taskId, commentLimit: 1 });
  const { labels } = await ask('GET /api/board/tasks/:taskId/labels', { taskId });
  return {
    title: task.title,
    status: task.status,
    priority: task.priority,
    due: task.due,
    labels,
    after: dependencies.map(({ id }) => shortId(id)),
    branch: task.branchRef,
    description: task.description ?? '',
  };
}

type Texts = Readonly<{ before: TaskText; after: TaskText }>;

/** A line that was taken out is left as it is; one that was emptied is taken away. */
async function applyText(client: Client, taskId: string, { before, after }: Texts): Promise<void> {
  const { ask } = client;
  const changed = <T>(old: T, now: T | undefined): now is T => now !== undefined && now !== old;
  const edits = {
    ...(changed(before.title, after.title) && { title: after.title }),
    ...(changed(before.priority, after.priority) && { priority: after.priority }),
    ...(changed(before.due, after.due) && { due: after.due }),
    ...(changed(before.branch, after.branch) && { branchRef: after.branch }),
    ...(before.description !== after.description && { description: after.description || null }),
  };
  if (after.agent !== undefined || after.checks !== undefined)
    throw new HubError('invalid', 'agent and checks are for new tasks.', {
      hint: '`holdfast board assign` and `holdfast board check` change them.',
    });
  // What may be refused comes first: then nothing has been changed.
  const { status: to } = after;
  if (to !== undefined && to !== before.status) await moveTo(client, taskId, { from: before.status!, to });
  if (Object.keys(edits).length > 0) await ask('PATCH /api/board/tasks/:taskId', { taskId, ...edits });
  const labels = differences(before.labels, after.labels);
  if (labels.add.length + labels.remove.length > 0)
    await ask('PATCH /api/board/tasks/:taskId/labels', { taskId, ...labels });
  const { add, remove } = differences(before.after, after.after);
  for (const each of add)
    await ask('POST /api/board/tasks/:taskId/dependencies', {
      taskId,
      dependsOnTaskId: await findTask(client, each),
    });
  for (const each of remove)
    await ask('DELETE /api/board/tasks/:taskId/dependencies/:dependsOnTaskId', {
      taskId,
      dependsOnTaskId: await findTask(client, each),
    });
}

function differences(before: readonly string[] = [], after: readonly string[] = before) {
  return {
    add: after.filter((each) => !before.includes(each)),
    remove: before.filter((each) => !after.includes(each)),
  };
}

async function moveTo(
  { ask }: Client,
  taskId: string,
  { from, to }: Readonly<{ from: string; to: string }>,
): Promise<void> {
  if (to === 'done') await ask('PUT /api/board/tasks/:taskId/finished', { taskId });
  else {
    const isOver = from === 'done' || from === 'cancelled';
    if (isOver) await ask('PUT /api/board/tasks/:taskId/reopened', { taskId });
    if (!isOver || to !== 'todo')
      await ask('PATCH /api/board/tasks/:taskId', { taskId, status: to as Status });
  }
}
