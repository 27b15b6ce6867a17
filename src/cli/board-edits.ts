import type { Command } from 'commander';
import type { Check, Evidence, TaskDetail } from '../features/board/detail.ts';
import type { Task } from '../features/board/task.ts';
import { gitReference } from './git-reference.ts';
import { HubError } from '../kernel/errors.ts';
import { changeTasks, withTasks } from './board-selected.ts';
import { type Client, withClient } from './client.ts';
import { type Options, withDatabase } from './options.ts';
import { idEnding, shortId } from './short-id.ts';
import { type Column, printable, renderTable } from './table.ts';
import { findTask, TASK_HINTS } from './task-id.ts';
import { wholeNumber } from './whole-number.ts';
import type { World } from './world.ts';

/** `board edit|move|assign|cancel|reopen|block|drop|archive|label`: of one task, of several, or of all that `--where` finds. */
export function addBoardEdits(board: Command, world: World): void {
  const many = (name: string, description: string) => withTasks(board.command(name)).description(description);

  many('edit', 'change what tasks say')
    .option('--title <text>')
    .option('--description <text>', 'an empty one removes it')
    .option('--priority <number>', 'higher is sooner')
    .option('--branch <name>', 'the branch the work is on; an empty one removes it')
    .option('--cost <dollars>', 'what the work has cost so far')
    .action((given: string[], options: Options) => patch(world, { given, options }, editOf(options)));
  many('move', 'put tasks into another status')
    .requiredOption('--to <status>', 'backlog, todo, in_progress, in_review, blocked, done or cancelled')
    .action((given: string[], options: Options) =>
      patch(world, { given, options }, { status: options['to'] }),
    );
  many('cancel', 'say that tasks will not be done').action((given: string[], options: Options) =>
    patch(world, { given, options }, { status: 'cancelled' }),
  );
  many('block', 'say that tasks cannot go on')
    .option('--because <text>', 'kept as a comment')
    .action((given: string[], options: Options) => block(world, given, options));
  many('reopen', 'say that finished tasks are not: they are todo again').action(
    (given: string[], options: Options) =>
      changeTasks(world, { given, options }, (client, id) => changed(client, 'PUT', `${id}/reopened`)),
  );
  many('assign', 'give ready tasks to an agent; they wait for it')
    .requiredOption('--to <agent>', 'who is to do them')
    .action((given: string[], options: Options) =>
      changeTasks(world, { given, options }, (client, id) =>
        changed(client, 'POST', `${id}/assign`, { assigneeAgentId: options['to'] }),
      ),
    );
  many('drop', 'take tasks off the board; their history stays').action((given: string[], options: Options) =>
    changeTasks(world, { given, options }, async (client, id) => {
      const task = await client.call<Task>('DELETE', `/api/board/tasks/${id}`, {});
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
  addDetails(board, world);
}

type Chosen = Readonly<{ given: readonly string[]; options: Options }>;

function patch(world: World, chosen: Chosen, body: object): Promise<void> {
  return changeTasks(world, chosen, (client, id) => changed(client, 'PATCH', id, body));
}

async function changed(
  client: Client,
  method: string,
  path: string,
  body: object = {},
): Promise<{ value: Task; line: string }> {
  const task = await client.call<Task>(method, `/api/board/tasks/${path}`, body);
  const holder = task.assigneeAgentId === null ? '' : `, ${task.assigneeAgentId}`;
  return { value: task, line: printable(`${shortId(task.id)} is ${task.status}${holder}: ${task.title}`) };
}

function editOf({ title, description, priority, branch, cost }: Options): object {
  const body = {
    ...(title !== undefined && { title }),
    ...(description !== undefined && { description: description === '' ? null : description }),
    ...(priority !== undefined && { priority: wholeNumber('--priority', priority) }),
    ...(branch !== undefined && { branchRef: branch === '' ? null : branch }),
    ...(cost !== undefined && { costUsd: dollars(cost) }),
  };
  if (Object.keys(body).length > 0) return body;
  throw new HubError('invalid', 'There is nothing to change.', {
    hint: 'Say --title, --description, --priority, --branch or --cost.',
  });
}

function dollars(text: unknown): number {
  if (typeof text === 'string' && /^\d{1,9}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new HubError(
    'invalid',
    `--cost must be a number of dollars such as 1.25; got ${JSON.stringify(text)}.`,
  );
}

function block(world: World, given: readonly string[], options: Options): Promise<void> {
  return changeTasks(world, { given, options }, async (client, id) => {
    const done = await changed(client, 'PATCH', id, { status: 'blocked' });
    const { because } = options;
    if (because !== undefined)
      await client.call('POST', `/api/board/tasks/${id}/comments`, {
        body: `Blocked: ${String(because)}`,
        authorType: 'user',
      });
    return done;
  });
}

function archive(world: World, given: readonly string[], options: Options): Promise<void> {
  const archived = options['undo'] !== true;
  // What is finished is meant, and what is out of sight, without having to say so.
  const where =
    typeof options['where'] === 'string'
      ? `${options['where']} ${archived ? 'done' : 'archived'}`
      : undefined;
  return changeTasks(world, { given, options: { ...options, where } }, async (client, id) => {
    const value = await client.call<{ taskId: string }>('PUT', `/api/board/tasks/${id}/archived`, {
      archived,
    });
    return { value, line: `${shortId(value.taskId)} is ${archived ? 'archived' : 'back'}` };
  });
}

async function label(world: World, given: readonly string[], options: Options): Promise<void> {
  const { add, remove, where } = options;
  if (given.length === 0 && where === undefined) return showLabels(world, options);
  if (add === undefined && remove === undefined)
    throw new HubError('invalid', 'There is nothing to change.', { hint: 'Say --add or --remove.' });
  await changeTasks(world, { given, options }, async (client, id) => {
    const value = await client.call<{ taskId: string; labels: string[] }>(
      'PATCH',
      `/api/board/tasks/${id}/labels`,
      {
        ...(add !== undefined && { add }),
        ...(remove !== undefined && { remove }),
      },
    );
    return { value, line: `${shortId(value.taskId)} has ${value.labels.join(', ') || 'no labels'}` };
  });
}

async function showLabels(world: World, options: Options): Promise<void> {
  type Labels = { labels: { label: string; taskIds: string[] }[] };
  const { labels } = await withClient(world, options, (client) =>
    client.call<Labels>('GET', '/api/board/labels'),
  );
  if (options['json']) return world.print(JSON.stringify({ labels }));
  if (labels.length === 0)
    return world.tell('No task has a label. Add one with `holdfast board label <task> --add <label>`.');
  const columns: readonly Column<Labels['labels'][number]>[] = [
    { title: 'LABEL', cell: (row) => row.label, flexible: true },
    { title: 'TASKS', cell: (row) => String(row.taskIds.length) },
  ];
  world.print(renderTable(columns, labels, world.columns));
}

/** `board check|evidence|unlink`: what hangs on one task. */
function addDetails(board: Command, world: World): void {
  const one = (name: string, description: string) =>
    withDatabase(board.command(name)).description(description);
  one('check', 'add an acceptance check to a task')
    .argument('<task>')
    .argument('<title>', 'what has to be shown before the task is done')
    .option('--optional', 'good to have; does not keep the task open')
    .action((task: string, title: string, options: Options) =>
      onTask(world, task, options, async (client, id) => {
        const body = { title, required: options['optional'] !== true };
        const check = await client.call<Check>('POST', `/api/board/tasks/${id}/checks`, body);
        return { value: check, line: `${shortId(check.id)} added: ${printable(check.title)}` };
      }),
    );
  one('evidence', 'give evidence for a check of a task: a branch, a commit, the address of a pull request')
    .argument('<task>')
    .argument('<check>', 'its id or the end of it, or its title')
    .argument('<summary>', 'what was seen')
    .option('--reference <text>', 'where to look: a file, a URL, a line of a log')
    .option('--branch <name>', 'the branch it is to be seen on')
    .option('--commit <id>', 'the commit it is to be seen at: its id, or a name such as HEAD')
    .option('--pr <url>', 'the address of its pull request')
    .option('--failed', 'it shows that the check is not satisfied')
    .option('--as <agent>', 'who you are')
    .option('--fence <number>', 'the number of your claim')
    .action((task: string, check: string, summary: string, options: Options) =>
      onTask(world, task, options, (client, id) =>
        giveEvidence(client, id, { check, summary, options, cwd: world.cwd }),
      ),
    );
  one('unlink', 'a task no longer waits for another')
    .argument('<task>')
    .argument('<dependency>', 'what it waited for')
    .action((task: string, dependency: string, options: Options) =>
      onTask(world, task, options, async (client, id) => {
        const path = `/api/board/tasks/${id}/dependencies/${await findTask(client, dependency)}`;
        return { value: await client.call<object>('DELETE', path, {}), line: 'Unlinked.' };
      }),
    );
}

type Answer = Readonly<{ value: object; line: string }>;

async function onTask(
  world: World,
  task: string,
  options: Options,
  work: (client: Client, id: string) => Promise<Answer>,
): Promise<void> {
  const answer = await withClient({ ...world, hints: TASK_HINTS }, options, async (client) =>
    work(client, await findTask(client, task)),
  );
  world.print(options['json'] ? JSON.stringify(answer.value) : answer.line);
}

function noSuchCheck(task: string, given: string, checks: readonly Check[]): HubError {
  const titles = checks.map(({ title }) => `  ${printable(title)}`);
  const hint =
    titles.length === 0
      ? `It has none yet; add one with \`holdfast board check ${shortId(task)} <title>\`.`
      : ['It has:', ...titles].join('\n  ');
  return new HubError('not_found', `The task has no check ${JSON.stringify(given)}.`, { hint });
}

type Given = Readonly<{ check: string; summary: string; options: Options; cwd: string }>;

async function giveEvidence(
  client: Client,
  id: string,
  { check, summary, options, cwd }: Given,
): Promise<Answer> {
  const { checks } = await client.call<TaskDetail>('GET', `/api/board/tasks/${id}?commentLimit=1`);
  const titled = checks.find(({ title }) => title === check);
  const ids = checks.map((each) => each.id);
  const checkId = titled?.id ?? idEnding(ids, check, 'checks');
  if (!ids.includes(checkId)) throw noSuchCheck(decodeURIComponent(id), check, checks);
  const { failed, as, fence } = options;
  const reference = await gitReference(options, cwd);
  const value = await client.call<Evidence>('POST', `/api/board/tasks/${id}/evidence`, {
    checkId,
    passed: failed !== true,
    summary,
    ...(reference !== undefined && { reference }),
    ...(as !== undefined && { agentId: as }),
    ...(fence !== undefined && { fence: wholeNumber('--fence', fence) }),
  });
  return { value, line: `Evidence added: ${value.passed ? 'passed' : 'failed'}.` };
}
