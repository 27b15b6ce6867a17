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
import type { Status, StoredTask, Verification } from '../task.ts';

/** The rows of tasks: one reading of a row, one way to change it. A column is named here and nowhere else. */
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

/** The order of a task that waits is part of its row: a new priority moves it, wherever somebody had put it. */
export async function reorderTask(tx: Tx, id: string, claimOrder: number): Promise<void> {
  await tx.run(sql`update tasks set claim_order = ${claimOrder} where id = ${id}`);
  await tx.run(sql`delete from task_places where task_id = ${id}`);
}

/** Dropped tasks are gone for every caller. */
export function findTask(q: Query, id: string, suffix: Sql = sql.empty): Promise<StoredTask | undefined> {
  return tasks.find(q, sql`where id = ${id} and dropped = 0 ${suffix}`);
}

/** The same, held against other writers until the unit ends. */
export function lockTask(tx: Tx, id: string): Promise<StoredTask | undefined> {
  return findTask(tx, id, tx.dialect.forUpdate);
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
