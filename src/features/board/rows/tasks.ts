import type { Query, Tx } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import {
  flag,
  jsonOrNull,
  named,
  number,
  numberOrNull,
  table,
  text,
  textOrNull,
} from '../../../store/table.ts';
import {
  fieldsOf,
  type Filters,
  type Status,
  type StoredTask,
  summarySchema,
  type TaskSummary,
  type Verification,
} from '../task.ts';

/** The rows of tasks: one reading of a row, one way to change it, one way to list. A column is named here and nowhere else. */
export const tasks = table('tasks', {
  id: text(),
  title: text(),
  description: textOrNull(),
  status: text<Status>(),
  priority: number(),
  teamId: textOrNull(),
  assigneeAgentId: textOrNull(),
  assigneeRuntime: textOrNull(),
  parentTaskId: textOrNull(),
  due: textOrNull(),
  externalId: textOrNull(),
  sourceDelegationId: textOrNull(),
  worktreeRef: textOrNull(),
  branchRef: textOrNull(),
  costUsd: number(),
  parentSessionId: textOrNull(),
  dropped: flag(),
  tenantId: textOrNull(),
  scheduledBy: text(),
  verification: jsonOrNull<Verification>(),
  createdAt: number(),
  updatedAt: number(),
  completedAt: numberOrNull(),
  fence: number(),
  seat: named('claim_seat', textOrNull()),
  claimedAt: numberOrNull(),
  leaseUntil: numberOrNull(),
  revision: number(),
  depth: number(),
  awaited: flag(),
  createdBy: textOrNull(),
  createdSeat: textOrNull(),
  assignedBy: textOrNull(),
  assignedSeat: textOrNull(),
});

export async function insertTask(tx: Tx, task: StoredTask, claimOrder: number): Promise<void> {
  await tx.run(sql`
    insert into tasks (${tasks.columns}, claim_order)
    values ${sql.tuple([...tasks.params(task), claimOrder])}`);
}

export type TaskChange = Readonly<Partial<Omit<StoredTask, 'id' | 'createdAt'>>>;

export async function changeTask(tx: Tx, id: string, change: TaskChange): Promise<StoredTask> {
  const changed = await tasks.get(
    tx,
    sql`
    update tasks
    set ${tasks.assign({ ...change, updatedAt: tx.now })}
    where id = ${id}
    returning ${tasks.columns}`,
  );
  return changed!;
}

/** The order of a task that waits is part of its row: a new priority moves it. */
export async function reorderTask(tx: Tx, id: string, claimOrder: number): Promise<void> {
  await tx.run(sql`update tasks set claim_order = ${claimOrder} where id = ${id}`);
}

/** Dropped tasks are gone for every caller. */
export function findTask(q: Query, id: string, suffix: Sql = sql.empty): Promise<StoredTask | undefined> {
  return tasks.find(q, sql`where id = ${id} and dropped = 0 ${suffix}`);
}

/** The same, held against other writers until the unit ends. */
export function lockTask(tx: Tx, id: string): Promise<StoredTask | undefined> {
  return findTask(tx, id, tx.dialect.forUpdate);
}

/** Holds back whoever depends on it. Cancelled and dropped dependencies are released. */
const isOpen = sql`open.dropped = 0 and open.status not in ('done', 'cancelled')`;

/** Part of a `where` on `tasks`: it is whole, and nothing it depends on is still open. Asked about one row. */
export const isReady = sql`not exists (
      select 1
      from task_imports as unfinished
      where unfinished.task_id = tasks.id
    )
    and not exists (
      select 1
      from task_dependencies as link
      join tasks as open on open.id = link.depends_on_task_id
      where link.task_id = tasks.id and ${isOpen}
    )`;

/** Part of a `where` on `tasks`: free, or held under a lease that is over. */
export function isFree(now: number): Sql {
  return sql`dropped = 0
    and ((status = 'todo' and assignee_agent_id is null) or (status = 'in_progress' and lease_until <= ${now}))`;
}

/** Lists of tasks: only what a list shows is read, page by page along an index. */
const summaries = tasks.only(...fieldsOf(summarySchema.shape), 'seat');

/** A line of a list as it is kept: who may see its fence is decided above. */
export type StoredSummary = Omit<TaskSummary, 'fence'> & Readonly<{ fence: number; seat: string | null }>;

/** Part of a `where` on `tasks`: it is whole, and nothing it depends on is still open. What waits is gathered once for all rows. The cross join makes SQLite begin with the links. */
const isReadyAmongMany = sql`id not in (
      select task_id
      from task_imports
    )
    and id not in (
      select link.task_id
      from task_dependencies as link
      cross join tasks as open
      where open.id = link.depends_on_task_id and ${isOpen}
    )`;

export type TaskFilter = Filters & Readonly<{ claimableAt?: number }>;

/** What to look for, as one search, or as two where one index serves what is free and another what has lapsed. */
function searches(filter: TaskFilter): Sql[] {
  const terms = termsOf(filter);
  const all = (more: Sql[]) => sql.join([...terms, ...more], '\n    and ');
  if (filter.claimableAt === undefined) return [all([])];
  return [
    all([sql`status = 'todo'`, isReadyAmongMany]),
    all([sql`status = 'in_progress'`, sql`lease_until <= ${filter.claimableAt}`, isReadyAmongMany]),
  ];
}

/** One term for each filter. */
function termsOf(filter: TaskFilter): Sql[] {
  const { teamId, orNone, status, assigneeAgentId, parentTaskId, state, label, search, archived } = filter;
  const { dueBefore } = filter;
  const terms = [sql`dropped = 0`, archived ? sql`shelved_at is not null` : sql`shelved_at is null`];
  if (state === 'open') terms.push(sql`status not in ('done', 'cancelled')`);
  if (state === 'closed') terms.push(sql`status in ('done', 'cancelled')`);
  if (label !== undefined) terms.push(sql`id in (select task_id from task_labels where label = ${label})`);
  for (const word of wordsOf(search)) {
    const pattern = `%${word.replace(/[\\%_]/g, '\\$&')}%`;
    terms.push(
      sql`(lower(title) like ${pattern} escape '\\' or lower(coalesce(description, '')) like ${pattern} escape '\\')`,
    );
  }
  if (teamId !== undefined)
    terms.push(orNone ? sql`(team_id = ${teamId} or team_id is null)` : sql`team_id = ${teamId}`);
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

/** Where a list stands: what it may be sorted by, the day it is due, priority and creation. None of it changes while a task is worked on. */
export type ListPosition = Readonly<{ keys: readonly number[]; id: string }>;
export const SORT_KEYS = 3;

export function positionOf({ due, priority, createdAt, id }: StoredSummary): ListPosition {
  return { keys: [dayKey(due), priority, createdAt], id };
}

function byPlace(a: StoredSummary, b: StoredSummary): number {
  return b.priority - a.priority || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

function byDue(a: StoredSummary, b: StoredSummary): number {
  return dayKey(a.due) - dayKey(b.due) || byPlace(a, b);
}

function beyond({ keys: [due, priority, createdAt], id }: ListPosition, isByDue: boolean): Sql {
  const next = sql`(priority < ${priority!}
      or (priority = ${priority!} and (created_at, id) > (${createdAt!}, ${id})))`;
  if (!isByDue) return sql`and ${next}`;
  const day = String(due).replace(/^(....)(..)(..)$/, '$1-$2-$3');
  return sql`and (coalesce(due, ${NEVER}) > ${day} or (coalesce(due, ${NEVER}) = ${day} and ${next}))`;
}

export async function listTasks(
  q: Query,
  filter: TaskFilter,
  { after, limit }: Readonly<{ after?: ListPosition | undefined; limit: number }>,
): Promise<StoredSummary[]> {
  const isByDue = filter.sort === 'due';
  const found: StoredSummary[] = [];
  for (const search of searches(filter)) {
    const rows = await summaries.list(
      q,
      sql`
    where ${search} ${after ? beyond(after, isByDue) : sql.empty}
    order by ${isByDue ? sql`coalesce(due, ${NEVER}),` : sql.empty} priority desc, created_at, id
    limit ${limit}`,
    );
    found.push(...rows);
  }
  return found.sort(isByDue ? byDue : byPlace).slice(0, limit);
}

/** Open tasks whose day has passed, each once for each day it was due: a task that is due later now may be told again. */
export function takeOverdue(tx: Tx, today: string, limit: number): Promise<StoredTask[]> {
  const isNew = sql`due < ${today} and coalesce(overdue_told, '') <> due`;
  return tasks.all(
    tx,
    sql`
    update tasks
    set overdue_told = due
    where ${isNew} and id in (
      select id
      from tasks
      where ${isNew} and dropped = 0 and shelved_at is null and status not in ('done', 'cancelled')
      order by due, id
      limit ${limit}
    )
    returning ${tasks.columns}`,
  );
}

export async function countTasks(q: Query, filter: TaskFilter): Promise<number> {
  let total = 0;
  for (const search of searches(filter)) {
    const row = await q.get<{ total: number }>(sql`select count(*) as total from tasks where ${search}`);
    total += row!.total;
  }
  return total;
}
