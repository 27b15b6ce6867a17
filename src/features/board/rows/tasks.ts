import type { Query, Tx } from '../../../store/database.ts';
import { sql, type Param, type Sql } from '../../../store/sql.ts';
import type { Relative, Status, StoredTask, Verification } from '../task.ts';

/** The rows of tasks: one reading of a row, one way to change it, one way to list. */
export type TaskRow = {
  id: string;
  title: string;
  description: string | null;
  status: Status;
  priority: number;
  team_id: string | null;
  assignee_agent_id: string | null;
  assignee_runtime: string | null;
  parent_task_id: string | null;
  source_delegation_id: string | null;
  worktree_ref: string | null;
  branch_ref: string | null;
  cost_usd: number;
  parent_session_id: string | null;
  dropped: number;
  tenant_id: string | null;
  scheduled_by: string;
  verification: string | null;
  created_at: number;
  updated_at: number;
  completed_at: number | null;
  fence: number;
  claim_seat: string | null;
  claimed_at: number | null;
  lease_until: number | null;
  revision: number;
  depth: number;
  awaited: number;
  created_by: string | null;
  created_seat: string | null;
  assigned_by: string | null;
  assigned_seat: string | null;
};

const FIELDS = {
  id: 'id',
  title: 'title',
  description: 'description',
  status: 'status',
  priority: 'priority',
  teamId: 'team_id',
  assigneeAgentId: 'assignee_agent_id',
  assigneeRuntime: 'assignee_runtime',
  parentTaskId: 'parent_task_id',
  sourceDelegationId: 'source_delegation_id',
  worktreeRef: 'worktree_ref',
  branchRef: 'branch_ref',
  costUsd: 'cost_usd',
  parentSessionId: 'parent_session_id',
  dropped: 'dropped',
  tenantId: 'tenant_id',
  scheduledBy: 'scheduled_by',
  verification: 'verification',
  createdAt: 'created_at',
  updatedAt: 'updated_at',
  completedAt: 'completed_at',
  fence: 'fence',
  seat: 'claim_seat',
  claimedAt: 'claimed_at',
  leaseUntil: 'lease_until',
  revision: 'revision',
  depth: 'depth',
  awaited: 'awaited',
  createdBy: 'created_by',
  createdSeat: 'created_seat',
  assignedBy: 'assigned_by',
  assignedSeat: 'assigned_seat',
} as const satisfies Record<keyof StoredTask, keyof TaskRow>;

export const taskColumns = sql.raw(Object.values(FIELDS).join(', '));

export function toTask(row: TaskRow): StoredTask {
  return {
    id: row.id,
    title: row.title,
    description: row.description,
    status: row.status,
    priority: row.priority,
    teamId: row.team_id,
    assigneeAgentId: row.assignee_agent_id,
    assigneeRuntime: row.assignee_runtime,
    parentTaskId: row.parent_task_id,
    sourceDelegationId: row.source_delegation_id,
    worktreeRef: row.worktree_ref,
    branchRef: row.branch_ref,
    costUsd: row.cost_usd,
    parentSessionId: row.parent_session_id,
    dropped: row.dropped === 1,
    tenantId: row.tenant_id,
    scheduledBy: row.scheduled_by,
    verification: row.verification === null ? null : (JSON.parse(row.verification) as Verification),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    completedAt: row.completed_at,
    fence: row.fence,
    seat: row.claim_seat,
    claimedAt: row.claimed_at,
    leaseUntil: row.lease_until,
    revision: row.revision,
    depth: row.depth,
    awaited: row.awaited === 1,
    createdBy: row.created_by,
    createdSeat: row.created_seat,
    assignedBy: row.assigned_by,
    assignedSeat: row.assigned_seat,
  };
}

function toParam(value: StoredTask[keyof StoredTask]): Param {
  if (typeof value === 'boolean') return value ? 1 : 0;
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : value;
}

export async function insertTask(tx: Tx, task: StoredTask, claimOrder: number): Promise<void> {
  const fields = Object.keys(FIELDS) as (keyof StoredTask)[];
  await tx.run(sql`
    insert into tasks (${taskColumns}, claim_order)
    values ${sql.tuple([...fields.map((field) => toParam(task[field])), claimOrder])}`);
}

export type TaskChange = Readonly<Partial<Omit<StoredTask, 'id' | 'createdAt'>>>;

export async function changeTask(tx: Tx, id: string, change: TaskChange): Promise<StoredTask> {
  const changes = Object.entries({ ...change, updatedAt: tx.now }) as [
    keyof TaskChange,
    StoredTask[keyof StoredTask],
  ][];
  const assignments = sql.join(
    changes.map(([field, value]) => sql`${sql.raw(FIELDS[field])} = ${toParam(value)}`),
    ', ',
  );
  const row = await tx.get<TaskRow>(sql`
    update tasks
    set ${assignments}
    where id = ${id}
    returning ${taskColumns}`);
  return toTask(row!);
}

/** The order of a task that waits is part of its row: a new priority moves it. */
export async function reorderTask(tx: Tx, id: string, claimOrder: number): Promise<void> {
  await tx.run(sql`update tasks set claim_order = ${claimOrder} where id = ${id}`);
}

/** Dropped tasks are gone for every caller. */
export async function findTask(
  q: Query,
  id: string,
  suffix: Sql = sql.empty,
): Promise<StoredTask | undefined> {
  const row = await q.get<TaskRow>(sql`
    select ${taskColumns}
    from tasks
    where id = ${id} and dropped = 0
    ${suffix}`);
  return row && toTask(row);
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

export type RelativeRow = Pick<TaskRow, 'id' | 'title' | 'status' | 'parent_task_id'>;

export function toRelative(row: RelativeRow): Relative {
  return { id: row.id, title: row.title, status: row.status, parentTaskId: row.parent_task_id };
}

/** Parent first, root last. */
export async function listAncestors(q: Query, task: StoredTask): Promise<Relative[]> {
  if (task.parentTaskId === null) return [];
  const rows = await q.all<RelativeRow>(sql`
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
    order by depth desc`);
  return rows.map(toRelative);
}

export async function listChildren(q: Query, parentId: string, limit: number): Promise<Relative[]> {
  const rows = await q.all<RelativeRow>(sql`
    select id, title, status, parent_task_id
    from tasks
    where parent_task_id = ${parentId} and dropped = 0
    order by id
    limit ${limit}`);
  return rows.map(toRelative);
}
