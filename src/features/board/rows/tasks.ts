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
import type { Relative, Status, StoredTask, Verification } from '../task.ts';

/** The rows of tasks: one reading of a row, one way to change it, one way to list. */
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
  return tasks.get(
    q,
    sql`
    select ${tasks.columns}
    from tasks
    where id = ${id} and dropped = 0
    ${suffix}`,
  );
}

/** The same, held against other writers until the unit ends. */
export function lockTask(tx: Tx, id: string): Promise<StoredTask | undefined> {
  return findTask(tx, id, tx.dialect.forUpdate);
}

/** Holds back whoever depends on it. Cancelled and dropped dependencies are released. */
export const isOpen = sql`open.dropped = 0 and open.status not in ('done', 'cancelled')`;

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

/** What stands beside a task. */
export const relatives = tasks.only('id', 'title', 'status', 'parentTaskId');

/** Parent first, root last. */
export async function listAncestors(q: Query, task: StoredTask): Promise<Relative[]> {
  if (task.parentTaskId === null) return [];
  return relatives.all(
    q,
    sql`
    with recursive line (id, title, status, parent_task_id, depth) as (
      select id, title, status, parent_task_id, depth
      from tasks
      where id = ${task.parentTaskId}
      union all
      select above.id, above.title, above.status, above.parent_task_id, above.depth
      from tasks as above
      join line on above.id = line.parent_task_id
    )
    select id, title, status, parent_task_id
    from line
    order by depth desc`,
  );
}

export function listChildren(q: Query, parentId: string, limit: number): Promise<Relative[]> {
  return relatives.all(
    q,
    sql`
    select ${relatives.columns}
    from tasks
    where parent_task_id = ${parentId} and dropped = 0
    order by id
    limit ${limit}`,
  );
}
