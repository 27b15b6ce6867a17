import type { Query } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import type { Status, TaskSummary } from '../task.ts';
import { narrowedBy, type Narrowing } from './narrowing.ts';
import { isOpen, tasks } from './tasks.ts';

/** Lists of tasks: only what a list shows is read, page by page along an index. */
const summaries = tasks.only(
  'id',
  'title',
  'status',
  'priority',
  'teamId',
  'assigneeAgentId',
  'assigneeRuntime',
  'parentTaskId',
  'fence',
  'leaseUntil',
  'seat',
  'createdAt',
  'updatedAt',
);

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

export type TaskFilter = Narrowing &
  Readonly<{
    teamId?: string | undefined;
    /** With what belongs to no team. */
    orNone?: boolean | undefined;
    status?: Status | undefined;
    assigneeAgentId?: string | undefined;
    parentTaskId?: string | undefined;
    claimableAt?: number;
  }>;

/** What to look for, as one search, or as two where one index serves what is free and another what has lapsed. */
function searches(filter: TaskFilter): Sql[] {
  const terms = [sql`dropped = 0`, ...narrowedBy(filter)];
  if (filter.teamId !== undefined)
    terms.push(
      filter.orNone ? sql`(team_id = ${filter.teamId} or team_id is null)` : sql`team_id = ${filter.teamId}`,
    );
  if (filter.status !== undefined) terms.push(sql`status = ${filter.status}`);
  if (filter.assigneeAgentId !== undefined) terms.push(sql`assignee_agent_id = ${filter.assigneeAgentId}`);
  if (filter.parentTaskId !== undefined) terms.push(sql`parent_task_id = ${filter.parentTaskId}`);
  const all = (more: Sql[]) => sql.join([...terms, ...more], '\n    and ');
  if (filter.claimableAt === undefined) return [all([])];
  return [
    all([sql`status = 'todo'`, isReadyAmongMany]),
    all([sql`status = 'in_progress'`, sql`lease_until <= ${filter.claimableAt}`, isReadyAmongMany]),
  ];
}

/** The sort key of a list: priority first, then creation. None of it changes while a task is worked on. */
export type ListPlace = Readonly<{ priority: number; createdAt: number; id: string }>;

function byPlace(a: ListPlace, b: ListPlace): number {
  return b.priority - a.priority || a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1);
}

export async function listTasks(
  q: Query,
  filter: TaskFilter,
  page: Readonly<{ after?: ListPlace | undefined; limit: number }>,
): Promise<StoredSummary[]> {
  const { after } = page;
  const beyond = after
    ? sql`and (priority < ${after.priority}
      or (priority = ${after.priority} and (created_at, id) > (${after.createdAt}, ${after.id})))`
    : sql.empty;
  const found: StoredSummary[] = [];
  for (const search of searches(filter)) {
    const rows = await summaries.all(
      q,
      sql`
    select ${summaries.columns}
    from tasks
    where ${search} ${beyond}
    order by priority desc, created_at, id
    limit ${page.limit}`,
    );
    found.push(...rows);
  }
  return found.sort(byPlace).slice(0, page.limit);
}

export async function countTasks(q: Query, filter: TaskFilter): Promise<number> {
  let total = 0;
  for (const search of searches(filter)) {
    const row = await q.get<{ total: number }>(sql`select count(*) as total from tasks where ${search}`);
    total += row!.total;
  }
  return total;
}
