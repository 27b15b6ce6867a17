// What the command line says and shows of a task: a field of tasks has its lines here, and nowhere else in a terminal.
import type { Command } from 'commander';
import type { Api } from '../../features/api.ts';
import type { ListedTask, Status, Task, TaskSummary } from '../../features/board/task.ts';
import { HubError } from '../../kernel/errors.ts';
import { dayMeant, FIELDS, isWhen, LIST_FLAGS } from '../../kernel/query-fields.ts';
import { isEmptyQuery, namesState, parseQuery, type PeopleQuery } from '../../kernel/query-language.ts';
import type { Style } from '../terminal/color.ts';
import type { Options } from '../options.ts';
import { withTeam } from '../project-of.ts';
import { shortId } from '../short-id.ts';
import type { Column } from '../terminal/table.ts';
import { ago, localTime } from '../terminal/when.ts';
import { wholeNumber } from '../whole-number.ts';

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
    .option('--body, --description <text>', 'what is to be done; - reads standard input')
    .option('--priority <number>', 'higher is sooner (0)')
    .option('--due <day>', 'the day it is due, such as 2026-12-31, tomorrow or 3d');
}

export function wordsOf({ description, priority, due }: Options) {
  return {
    ...(typeof description === 'string' && { description }),
    ...(priority !== undefined && { priority: wholeNumber('--priority', priority) }),
    ...(typeof due === 'string' && { due: dayOf('--due', due) }),
  };
}

export function withEdits(command: Command): Command {
  return command
    .option('--title <text>')
    .option('--body, --description <text>', 'an empty one removes it')
    .option('--priority <number>', 'higher is sooner')
    .option('--due <day>', 'the day it is due, such as 2026-12-31, tomorrow or 3d; an empty one removes it')
    .option('--branch <name>', 'the branch the work is on; an empty one removes it')
    .option('--cost <dollars>', 'what the work has cost so far');
}

export type Edits = Omit<Api['PATCH /api/board/tasks/:taskId']['given'], 'taskId'>;

export function editsOf({ title, description, priority, due, branch, cost }: Options): Edits {
  const edits: Edits = {
    ...(typeof title === 'string' && { title }),
    ...(typeof description === 'string' && { description: description || null }),
    ...(priority !== undefined && { priority: wholeNumber('--priority', priority) }),
    ...(typeof due === 'string' && { due: due === '' ? null : dayOf('--due', due) }),
    ...(typeof branch === 'string' && { branchRef: branch || null }),
    ...(cost !== undefined && { costUsd: dollars(cost) }),
  };
  if (Object.keys(edits).length > 0) return edits;
  throw new HubError('invalid', 'There is nothing to change.', {
    hint: 'Say --title, --description, --priority, --due, --branch or --cost.',
  });
}

/** A day, or one that is meant: `today`, `tomorrow`, `3d`, `2w`. */
function dayOf(option: string, given: string): string {
  if (isWhen(given)) return dayMeant(given, Date.now());
  throw new HubError(
    'invalid',
    `${option} must be a day such as 2026-12-31, tomorrow or 3d; got ${JSON.stringify(given)}.`,
  );
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
    .argument('[query...]', 'words, "phrases", -word, status:todo label:x agent:codex priority>=3 due<7d')
    .option('--where <query>', 'the same in one word of the shell')
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

export type Selection = NonNullable<Api['GET /api/board/tasks']['given']>;

/** What is open, unless something else is asked for. The project of the folder comes with what belongs to none. */
export function selectionOf(options: Options, project: string | undefined): Selection {
  const { status, agent, ready, done, any, archived, search, label, team, where } = options;
  const { dueBefore, overdue, sort } = options;
  if ([done, any, archived].filter((each) => each === true).length > 1)
    throw new HubError('invalid', '--done, --any and --archived exclude each other.');
  const query = typeof where === 'string' ? readWhere(where) : undefined;
  const isNamed =
    [done, any, archived].includes(true) ||
    status !== undefined ||
    (query !== undefined && namesState(query));
  return {
    ...(typeof status === 'string' && { status: status as Status }),
    ...(typeof agent === 'string' && { assigneeAgentId: agent }),
    ...(ready === true && { ready }),
    ...(done === true && { state: 'closed' }),
    ...(!isNamed && { state: 'open' }),
    ...(archived === true && { archived }),
    ...(typeof search === 'string' && { search }),
    ...(typeof label === 'string' && { label }),
    ...(typeof dueBefore === 'string' && { dueBefore: dayOf('--due-before', dueBefore) }),
    ...(overdue === true && { dueBefore: today(Date.now()) }),
    ...(typeof sort === 'string' && { sort: sort as 'due' }),
    ...(query && { q: where as string }),
    ...(project !== undefined &&
      !namesProject(query) && { teamId: project, ...(typeof team !== 'string' && { orNone: true }) }),
  };
}

/** A project that the query names is the one that is meant. */
function namesProject(query: PeopleQuery | undefined): boolean {
  return query?.terms.some(({ field }) => field === 'project') === true;
}

/** Refused before anything is asked for. */
function readWhere(where: string): PeopleQuery {
  const query = parseQuery(where, { flags: LIST_FLAGS });
  const [problem] = query.problems;
  // A variable of the shell that is not set must not mean everything.
  if (isEmptyQuery(query))
    throw new HubError('invalid', '--where says nothing.', { hint: `${KNOWN} \`any\` finds every task.` });
  if (!problem) return query;
  const guess = problem.meant === undefined ? '' : ` Did you mean ${problem.meant}?`;
  throw new HubError('invalid', `${problem.says}${guess}`, { hint: KNOWN });
}

const KNOWN = `It knows words and ${Object.keys(FIELDS)
  .filter((field) => field !== 'search' && field !== 'kind')
  .map((field) => `${field}:`)
  .join(' ')}, and ${LIST_FLAGS.join(', ')}.`;

/** A line of the list. */
export function columnsAt(now: number): readonly Column<ListedTask>[] {
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
    {
      title: 'WAITS FOR',
      cell: ({ waitsFor = [] }) => named(waitsFor.map(shortId)),
      rare: true,
    },
    { title: 'PROJECT', cell: ({ teamId }) => teamId ?? '', flexible: true },
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
    ['project', task.teamId ?? undefined],
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

/** The first two, and how many more. */
function named(ids: readonly string[]): string {
  return ids.length <= 2 ? ids.join(', ') : `${ids.slice(0, 2).join(', ')} +${ids.length - 2}`;
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
