// Lists of tasks: what is open before what is over; only what a list shows is read, page by page along an index.
import type { PeopleQuery } from '../../../kernel/query-language.ts';
import type { Query } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import { fieldsOf, type Filters, type Status, summarySchema, type TaskSummary } from '../task.ts';
import { asksForArchived, queryTerms } from './query.ts';
import { isOpen, isReady } from './ready.ts';
import { tasks } from './tasks.ts';

const summaries = tasks.only(...fieldsOf(summarySchema.shape), 'seat', 'completedAt');

/** A line of a list as it is kept: who may see its fence is decided above. */
export type StoredSummary = Omit<TaskSummary, 'fence'> &
  Readonly<{ fence: number; seat: string | null; completedAt: number | null }>;

export type TaskFilter = Omit<Filters, 'q'> &
  Readonly<{ claimableAt?: number; asked?: Readonly<{ query: PeopleQuery; now: number }> }>;

const OVER: ReadonlySet<Status> = new Set<Status>(['done', 'cancelled']);
const isOver = sql`status in ('done', 'cancelled')`;
const isNotOver = sql`status not in ('done', 'cancelled')`;

/** A part of a list has one order, and an index that has it. `terms` are conditions on `tasks`. */
type Part = Readonly<{ isOver: boolean; terms: readonly Sql[] }>;

/** Open work first; what is free apart from what has lapsed, a team's apart from what is no team's. */
function partsOf(filter: TaskFilter): Part[] {
  const { claimableAt, state, status } = filter;
  const mayBeOpen = state !== 'closed' && (status === undefined || !OVER.has(status));
  const mayBeOver = state !== 'open' && (status === undefined || OVER.has(status));
  const lapsed = sql`status = 'in_progress' and lease_until <= ${claimableAt ?? 0}`;
  const kinds: Part[] =
    claimableAt === undefined
      ? [
          ...(mayBeOpen ? [{ isOver: false, terms: [isNotOver] }] : []),
          ...(mayBeOver ? [{ isOver: true, terms: [isOver] }] : []),
        ]
      : [
          { isOver: false, terms: [isNotOver, sql`status = 'todo'`, isReady] },
          { isOver: false, terms: [isNotOver, lapsed, isReady] },
        ];
  const terms = termsOf(filter);
  return teamsOf(filter).flatMap((team) =>
    kinds.map((kind) => ({ ...kind, terms: [...terms, ...team, ...kind.terms] })),
  );
}

function teamsOf({ teamId, orNone }: TaskFilter): Sql[][] {
  if (teamId === undefined) return [[]];
  const own = [sql`team_id = ${teamId}`];
  return orNone ? [own, [sql`team_id is null`]] : [own];
}

/** One term for each filter. */
function termsOf(filter: TaskFilter): Sql[] {
  const { status, assigneeAgentId, parentTaskId, label, search, archived } = filter;
  const { dueBefore, asked } = filter;
  const isArchived = archived === true || (asked !== undefined && asksForArchived(asked.query));
  const terms = [sql`dropped = 0`, isArchived ? sql`shelved_at is not null` : sql`shelved_at is null`];
  if (asked !== undefined) terms.push(...queryTerms(asked.query, asked.now));
  if (label !== undefined) terms.push(sql`id in (select task_id from task_labels where label = ${label})`);
  for (const word of wordsOf(search)) {
    const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
    terms.push(
      sql`(lower(title) like ${pattern} escape '\\' or lower(coalesce(description, '')) like ${pattern} escape '\\')`,
    );
  }
  if (status !== undefined) terms.push(sql`status = ${status}`);
  if (assigneeAgentId !== undefined) terms.push(sql`assignee_agent_id = ${assigneeAgentId}`);
  if (parentTaskId !== undefined) terms.push(sql`parent_task_id = ${parentTaskId}`);
  if (dueBefore !== undefined) terms.push(sql`due < ${dueBefore}`);
  return terms;
}

const MOST_WORDS = 16;

/** Every one of them has to be there. */
function wordsOf(search = ''): string[] {
  return search.toLowerCase().split(/\s+/).filter(Boolean).slice(0, MOST_WORDS);
}

/** What is due on no day is due after everything that is. */
const NEVER = '9999-99-99';
const dayKey = (due: string | null) => Number((due ?? NEVER).replaceAll('-', ''));

/** When it was over; 0 for what is not. */
const overKey = ({ status, completedAt, createdAt }: StoredSummary) =>
  OVER.has(status) ? (completedAt ?? createdAt) : 0;

/**
 * Where a list stands: what it may be sorted by, which is the day it is due, priority, creation, and the end. None of it
 * changes while a task is worked on.
 */
export type ListPosition = Readonly<{ keys: readonly number[]; id: string }>;
export const SORT_KEYS = 4;

export function positionOf(task: StoredSummary): ListPosition {
  const { due, priority, createdAt, id } = task;
  return { keys: [dayKey(due), priority, createdAt, overKey(task)], id };
}

function byPlace(a: StoredSummary, b: StoredSummary): number {
  return b.priority - a.priority || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

function byDue(a: StoredSummary, b: StoredSummary): number {
  return dayKey(a.due) - dayKey(b.due) || byPlace(a, b);
}

function byEnd(a: StoredSummary, b: StoredSummary): number {
  return overKey(b) - overKey(a) || (a.id < b.id ? 1 : -1);
}

const ENDED = sql`coalesce(completed_at, created_at)`;

function beyond({ keys: [due, priority, createdAt, ended], id }: ListPosition, order: Order): Sql {
  if (order === 'ended') return sql`(${ENDED}, id) < (${ended!}, ${id})`;
  const next = sql`(priority < ${priority!}
      or (priority = ${priority!} and (created_at, id) > (${createdAt!}, ${id})))`;
  if (order === 'priority') return next;
  const day = String(due).replace(/^(....)(..)(..)$/, '$1-$2-$3');
  return sql`(coalesce(due, ${NEVER}) > ${day} or (coalesce(due, ${NEVER}) = ${day} and ${next}))`;
}

type Order = 'priority' | 'due' | 'ended';
const orderings: Readonly<Record<Order, Sql>> = {
  priority: sql`priority desc, created_at, id`,
  due: sql`coalesce(due, ${NEVER}), priority desc, created_at, id`,
  ended: sql`${ENDED} desc, id desc`,
};

const compare = { priority: byPlace, due: byDue, ended: byEnd };

type Span = Readonly<{ after?: ListPosition | undefined; limit: number }>;

/** Open: by priority, then the oldest; or by the day they are due. Over: what ended last comes first. */
export async function listTasks(q: Query, filter: TaskFilter, span: Span): Promise<StoredSummary[]> {
  const parts = partsOf(filter);
  const isBeyondOpen = Boolean(span.after?.keys[3]);
  const order = filter.sort === 'due' ? 'due' : 'priority';
  const open = parts.filter((part) => !part.isOver && !isBeyondOpen);
  const found = await readParts(q, open, { ...span, order });
  const rest = span.limit - found.length;
  if (rest === 0) return found;
  const over = parts.filter((part) => part.isOver);
  const after = isBeyondOpen ? span.after : undefined;
  return [...found, ...(await readParts(q, over, { after, limit: rest, order: 'ended' }))];
}

type OrderedSpan = Span & Readonly<{ order: Order }>;

async function readParts(q: Query, parts: readonly Part[], span: OrderedSpan): Promise<StoredSummary[]> {
  const found: StoredSummary[] = [];
  for (const { terms } of parts) found.push(...(await readPart(q, terms, span)));
  return parts.length > 1 ? found.sort(compare[span.order]).slice(0, span.limit) : found;
}

function readPart(
  q: Query,
  terms: readonly Sql[],
  { after, limit, order }: OrderedSpan,
): Promise<StoredSummary[]> {
  const where = after ? [...terms, beyond(after, order)] : terms;
  return summaries.list(
    q,
    sql`
    where ${sql.join(where, '\n    and ')}
    order by ${orderings[order]}
    limit ${limit}`,
  );
}

/** A list is counted so far and no further: nobody reads on to the end of it, and everybody would pay. */
const COUNTED = 10_000;
/** Whether a task is ready has to be asked of each. */
const COUNTED_READY = 1_000;

export type Total = Readonly<{ total: number; totalIsLeast?: true }>;

export async function countTasks(q: Query, filter: TaskFilter): Promise<Total> {
  const most = filter.claimableAt === undefined ? COUNTED : COUNTED_READY;
  let total = 0;
  for (const { terms } of partsOf(filter)) {
    const where = sql.join(terms, '\n    and ');
    const row = await q.get<{ total: number }>(sql`
      select count(*) as total
      from (select 1 as one from tasks where ${where} limit ${most + 1 - total}) as counted`);
    total += row!.total;
    if (total > most) return { total: most, totalIsLeast: true };
  }
  return { total };
}

/** One that is in sight or not, as a place to go on from. */
export function findListed(q: Query, id: string): Promise<StoredSummary | undefined> {
  return summaries.find(q, sql`where id = ${id} and dropped = 0`);
}

/** What each of these still waits for. */
export async function openDependencies(
  q: Query,
  ids: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  if (ids.length === 0) return new Map();
  const rows = await q.all<{ task: string; on: string }>(sql`
    select link.task_id as task, link.depends_on_task_id as "on"
    from task_dependencies as link
    join tasks as open on open.id = link.depends_on_task_id
    where link.task_id in ${sql.in(ids)} and ${isOpen}
    order by link.task_id, link.depends_on_task_id`);
  return new Map(
    [...Map.groupBy(rows, ({ task }) => task)].map(([task, found]) => [task, found.map(({ on }) => on)]),
  );
}
