// What the command line says and shows of a task: a field of tasks has its lines here, and nowhere else in a terminal.
import type { Command } from 'commander';
import type { Api } from '../features/api.ts';
import type { Status, Task, TaskSummary } from '../features/board/task.ts';
import { HubError } from '../kernel/errors.ts';
import type { Style } from './color.ts';
import type { Options } from './options.ts';
import { withTeam } from './project-of.ts';
import { shortId } from './short-id.ts';
import type { Column } from './table.ts';
import { ago, localTime } from './when.ts';
import { wholeNumber } from './whole-number.ts';

export const STATUS_STYLES: Readonly<Partial<Record<Status, Style>>> = {
  in_progress: 'yellow',
  in_review: 'cyan',
  blocked: 'red',
  done: 'green',
  backlog: 'dim',
  cancelled: 'dim',
};

/** What a new task says. */
export function withWords(command: Command): Command {
  return command
    .option('--description <text>')
    .option('--priority <number>', 'higher is sooner (0)')
    .option('--due <day>', 'the day it is due, such as 2026-12-31');
}

export function wordsOf({ description, priority, due }: Options) {
  return {
    ...(typeof description === 'string' && { description }),
    ...(priority !== undefined && { priority: wholeNumber('--priority', priority) }),
    ...(typeof due === 'string' && { due }),
  };
}

export function withEdits(command: Command): Command {
  return command
    .option('--title <text>')
    .option('--description <text>', 'an empty one removes it')
    .option('--priority <number>', 'higher is sooner')
    .option('--due <day>', 'the day it is due, such as 2026-12-31; an empty one removes it')
    .option('--branch <name>', 'the branch the work is on; an empty one removes it')
    .option('--cost <dollars>', 'what the work has cost so far');
}

export type Edits = Omit<Api['PATCH /api/board/tasks/:taskId']['given'], 'taskId'>;

export function editsOf({ title, description, priority, due, branch, cost }: Options): Edits {
  const edits: Edits = {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description: description || null }),
    ...(priority !== undefined && { priority: wholeNumber('--priority', priority) }),
    ...(typeof due === 'string' && { due: due || null }),
    ...(typeof branch === 'string' && { branchRef: branch || null }),
    ...(cost !== undefined && { costUsd: dollars(cost) }),
  };
  if (Object.keys(edits).length > 0) return edits;
  throw new HubError('invalid', 'There is nothing to change.', {
    hint: 'Say --title, --description, --priority, --due, --branch or --cost.',
  });
}

function dollars(text: unknown): number {
  if (typeof text === 'string' && /^\d{1,9}(\.\d{1,6})?$/.test(text)) return Number(text);
  throw new HubError(
    'invalid',
    `--cost must be a number of dollars such as 1.25; got ${JSON.stringify(text)}.`,
  );
}

/** Which tasks: for the list, and for changes of many at once. */
export function withSelection(command: Command): Command {
  return withTeam(command)
    .option('--status <status>', 'only tasks in this status')
    .option('--agent <id>', 'only tasks this agent holds')
    .option('--ready', 'only what can be claimed now')
    .option('--done', 'what is done or cancelled, instead of what is open')
    .option('--any', 'open or not')
    .option('--archived', 'only what was archived')
    .option('--search <words>', 'only tasks with these words in title or description')
    .option('--label <label>', 'only tasks with this label')
    .option('--due-before <day>', 'only tasks due before this day')
    .option('--overdue', 'only open tasks whose day has passed')
    .option('--sort <order>', 'priority, or due: the soonest first');
}

/** The same in one word of the shell: `label=old status=todo search=keel done`. */
export const TERMS = {
  named: ['status', 'agent', 'label', 'search', 'dueBefore'],
  flags: ['ready', 'done', 'any', 'archived', 'overdue'],
};

export type Selection = NonNullable<Api['GET /api/board/tasks']['given']>;

/** What is open, unless something else is asked for. The project of the folder comes with what belongs to none. */
export function selectionOf(options: Options, project: string | undefined): Selection {
  const { status, agent, ready, done, any, archived, search, label, team } = options;
  const { dueBefore, overdue, sort } = options;
  if ([done, any, archived].filter((each) => each === true).length > 1)
    throw new HubError('invalid', '--done, --any and --archived exclude each other.');
  const isNamed = done === true || any === true || archived === true || status !== undefined;
  return {
    ...(typeof status === 'string' && { status: status as Status }),
    ...(typeof agent === 'string' && { assigneeAgentId: agent }),
    ...(ready === true && { ready }),
    ...(done === true && { state: 'closed' }),
    ...(!isNamed && { state: 'open' }),
    ...(archived === true && { archived }),
    ...(typeof search === 'string' && { search }),
    ...(typeof label === 'string' && { label }),
    ...(typeof dueBefore === 'string' && { dueBefore }),
    ...(overdue === true && { dueBefore: today(Date.now()) }),
    ...(typeof sort === 'string' && { sort: sort as 'due' }),
    ...(project !== undefined && { teamId: project, ...(typeof team !== 'string' && { orNone: true }) }),
  };
}

/** A line of the list. */
export function columnsAt(now: number): readonly Column<TaskSummary>[] {
  return [
    { title: 'ID', cell: ({ id }) => shortId(id) },
    { title: 'STATUS', cell: ({ status }) => status, style: ({ status }) => STATUS_STYLES[status] },
    { title: 'PRI', cell: ({ priority }) => String(priority) },
    {
      title: 'DUE',
      cell: ({ due }) => due ?? '',
      style: (task) => (isOverdue(task, now) ? 'red' : undefined),
      rare: true,
    },
    { title: 'TITLE', cell: ({ title }) => title, flexible: true },
    { title: 'HOLDER', cell: ({ assigneeAgentId }) => assigneeAgentId ?? '', flexible: true },
    { title: 'TEAM', cell: ({ teamId }) => teamId ?? '', flexible: true },
    { title: 'AGE', cell: ({ createdAt }) => ago(now - createdAt) },
  ];
}

/** What `board show` begins with; what is undefined is left out. */
export function factsOf(
  task: Task,
  labels: readonly string[],
  now: number,
): readonly (readonly [string, string | undefined])[] {
  return [
    ['id', task.id],
    ['external', task.externalId ?? undefined],
    ['status', task.status],
    ['priority', String(task.priority)],
    ['due', task.due === null ? undefined : `${task.due}${isOverdue(task, now) ? ', overdue' : ''}`],
    ['team', task.teamId ?? undefined],
    ['labels', labels.length === 0 ? undefined : labels.join(', ')],
    ['branch', task.branchRef ?? undefined],
    ['cost', task.costUsd === 0 ? undefined : `$${task.costUsd}`],
    [
      'holder',
      task.assigneeAgentId === null
        ? undefined
        : `${task.assigneeAgentId} (fence ${task.fence}${lease(task.leaseUntil, now)})`,
    ],
    ['created', `${ago(now - task.createdAt)} ago`],
  ];
}

function today(now: number): string {
  return localTime(now).slice(0, 10);
}

function isOverdue({ due, status }: TaskSummary, now: number): boolean {
  return due !== null && due < today(now) && status !== 'done' && status !== 'cancelled';
}

function lease(until: number | null, now: number): string {
  if (until === null) return '';
  return until > now ? `, lease ends in ${ago(until - now)}` : ', lease has run out';
}
