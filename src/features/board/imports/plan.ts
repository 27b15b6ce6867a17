import { isDay } from '../../../kernel/day.ts';
import { sha256 } from '../../../kernel/digest.ts';
import { hasNoSecret } from '../../../kernel/words.ts';
import type { TransferLine } from '../transfer/line.ts';
import { DEFAULT_LIMITS } from '../settings.ts';
import { BLANK, type Status } from '../task.ts';
import type { ForeignFile, ForeignTask } from './foreign.ts';
import { breakParents, breakWaits, generations } from './order.ts';
import { excerpt } from '../../../kernel/redact.ts';

/** Tasks of another tool as records of ours, in the order in which they can be read in, and what had to give way. */
export type ImportPlan = Readonly<{
  records: readonly TransferLine[];
  tasks: number;
  byStatus: Readonly<Record<string, number>>;
  /** What was taken otherwise than it stood there, with how often: for the person who imports. */
  notes: readonly string[];
  problems: readonly string[];
}>;

export type ImportOrigin = Readonly<{ format: string; team: string | undefined; now: number }>;

/** The other tools' words for where a task stands. A word that none of them has makes a task nobody starts by himself. */
const STATUS: Readonly<Record<string, Status>> = {
  open: 'todo',
  pending: 'todo',
  todo: 'todo',
  to_do: 'todo',
  ready: 'todo',
  in_progress: 'in_progress',
  inprogress: 'in_progress',
  hooked: 'in_progress',
  in_review: 'in_review',
  inreview: 'in_review',
  review: 'in_review',
  blocked: 'blocked',
  deferred: 'backlog',
  backlog: 'backlog',
  pinned: 'backlog',
  closed: 'done',
  done: 'done',
  completed: 'done',
  cancelled: 'cancelled',
  canceled: 'cancelled',
  not_planned: 'cancelled',
  duplicate: 'cancelled',
};

const TITLE = 500;
const TEXT = 20_000;
const MOST_LABELS = 20;
const LONGEST_ID = 200;

export function planImport({ tasks: given, problems }: ForeignFile, origin: ImportOrigin): ImportPlan {
  const notes = new Map<string, number>();
  const note = (what: string, times = 1) => notes.set(what, (notes.get(what) ?? 0) + times);
  const byKey = new Map(given.map((task) => [task.key, task]));
  if (byKey.size < given.length)
    note('rows with an id that came twice; the last one counts', given.length - byKey.size);
  const idOf = (key: string) => idFor(origin, key);
  // In the order of their ids, which are digests: a database writes neighbours together.
  const tasks = [...byKey.values()]
    .map((task) => ({ task, id: idOf(task.key) }))
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map(({ task }) => task);
  const parents = breakParents(tasks, DEFAULT_LIMITS.depth, note);
  const waits = breakWaits(tasks, note);
  const byStatus: Record<string, number> = {};
  const records: TransferLine[] = [];
  for (const { task, depth } of generations(tasks, parents)) {
    const status = statusOf(task, note);
    byStatus[status] = (byStatus[status] ?? 0) + 1;
    records.push(taskRecord(task, { status, depth, parent: parents.get(task.key), origin, idOf, note }));
  }
  for (const [key, dependsOn] of waits)
    for (const target of dependsOn)
      records.push({ type: 'link', taskId: idOf(key), dependsOnTaskId: idOf(target) });
  for (const task of tasks) {
    for (const label of labelsOf(task, note)) records.push({ type: 'label', taskId: idOf(task.key), label });
    task.comments.forEach((comment, i) =>
      records.push({
        type: 'comment',
        id: idFor(origin, `${task.key}\ncomment ${i}`),
        taskId: idOf(task.key),
        authorAgentId: nameOf(comment.author),
        authorType: 'user',
        body: cut(plain(comment.body), TEXT, () => note('comments that were cut')),
        tenantId: null,
        createdAt: comment.at ?? task.createdAt ?? origin.now,
      }),
    );
  }
  return {
    records,
    tasks: tasks.length,
    byStatus,
    notes: [...notes].map(([what, times]) => `${times} ${what}`),
    problems,
  };
}

/** The same task of the same tool has the same id, whenever and wherever it is read: that is what makes a second import nothing. */
function idFor({ format, team }: ImportOrigin, key: string): string {
  const hex = sha256(`${format}\n${team ?? ''}\n${key}`);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

type Note = (what: string, times?: number) => void;

/** Nobody here holds what was under way there: it waits to be claimed. */
function statusOf({ status }: ForeignTask, note: Note): Status {
  const word = (status ?? 'todo')
    .trim()
    .toLowerCase()
    .replace(/[\s-]+/g, '_');
  const known = Object.hasOwn(STATUS, word) ? STATUS[word]! : undefined;
  if (known === undefined) {
    note(`of the unknown status ${JSON.stringify(excerpt(status ?? '', 40))} became backlog`);
    return 'backlog';
  }
  if (known !== 'in_progress' && known !== 'in_review') return known;
  note('under way there became todo: nobody holds them here');
  return 'todo';
}

type Making = Readonly<{
  status: Status;
  depth: number;
  parent: string | undefined;
  origin: ImportOrigin;
  idOf(key: string): string;
  note: Note;
}>;

function taskRecord(task: ForeignTask, { status, depth, parent, origin, idOf, note }: Making): TransferLine {
  const title = plain(task.title).trim() || 'untitled';
  const isLong = title.length > TITLE;
  const text = isLong ? `${title}\n\n${task.description ?? ''}` : task.description;
  const createdAt = task.createdAt ?? origin.now;
  const closedAt = task.closedAt ?? task.updatedAt ?? createdAt;
  const isDone = status === 'done';
  return {
    ...BLANK,
    type: 'task',
    id: idOf(task.key),
    title: isLong
      ? cut(title, TITLE, () => note('titles that were cut; the whole one begins the description'))
      : title,
    description: text === undefined ? null : cut(plain(text), TEXT, () => note('descriptions that were cut')),
    status,
    priority: clamp(task.priority),
    teamId: origin.team ?? null,
    assigneeAgentId: isDone ? (nameOf(task.assignee) ?? origin.format) : null,
    parentTaskId: parent === undefined ? null : idOf(parent),
    due: dayOf(task.due, note),
    externalId: externalIdOf(task),
    scheduledBy: `import:${origin.format}`,
    createdAt,
    updatedAt: task.updatedAt ?? createdAt,
    completedAt: isDone || status === 'cancelled' ? closedAt : null,
    fence: isDone ? 1 : 0,
    claimedAt: isDone ? createdAt : null,
    depth,
    archivedAt: null,
  };
}

/** What a day is here; some tools say the hour, too. */
function dayOf(text: string | undefined, note: Note): string | null {
  if (text === undefined) return null;
  const day = /^\d{4}-\d{2}-\d{2}/.exec(text)?.[0] ?? '';
  if (isDay(day)) return day;
  note('with a due date that is no day such as 2026-12-31 have none');
  return null;
}

/** Whole, or not at all: half of an id finds nothing. */
function externalIdOf({ key, externalId = key }: ForeignTask): string | null {
  const fits = externalId.length <= LONGEST_ID && !/\p{Cc}/u.test(externalId) && hasNoSecret(externalId);
  return fits ? externalId.toWellFormed() : null;
}

function clamp(priority: number): number {
  return Math.max(-1_000_000, Math.min(1_000_000, Math.round(priority) || 0));
}

function labelsOf({ labels }: ForeignTask, note: Note): string[] {
  const usable = labels.map((label) =>
    plain(label)
      .trim()
      .replace(/[^\p{L}\p{N}._:/-]+/gu, '-')
      .replace(/^[^\p{L}\p{N}]+/u, '')
      .slice(0, 50),
  );
  const unique = [...new Set(usable.filter((label) => label !== ''))];
  if (unique.length > MOST_LABELS)
    note(`labels beyond ${MOST_LABELS} of a task were left`, unique.length - MOST_LABELS);
  return unique.slice(0, MOST_LABELS);
}

/** PostgreSQL has no room for NUL, and half a pair of surrogates is no character. */
function plain(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

function nameOf(name: string | undefined): string | null {
  const usable = plain(name ?? '')
    .replace(/\p{Cc}/gu, ' ')
    .trim()
    .slice(0, 200);
  return usable === '' ? null : usable;
}

function cut(text: string, most: number, tell: () => void): string {
  if (text.length <= most) return text;
  tell();
  return `${text.slice(0, most - 1).toWellFormed()}…`;
}
