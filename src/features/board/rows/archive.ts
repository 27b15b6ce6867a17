import type { Query } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { StoredRow } from '../../../store/table.ts';
import type { Comment, TaskLink, StoredTask } from '../task.ts';
import { selectComments } from './comments.ts';
import type { Labelled } from './labels.ts';
import { asEvidence, type EvidenceRow, type NewCheck, type NewEvidence } from './evidence.ts';
import { tasks } from './tasks.ts';

/** Pages of whole tables for an archive, each in an order in which its lines can be read back. Dropped tasks stay behind. */

/** Seats belong to connections of this hub, and stay behind with what is known by them. */
export type ArchivedTask = Omit<StoredTask, 'dropped' | (typeof LEFT_BEHIND)[number]> &
  Readonly<{ archivedAt: number | null }>;

const LEFT_BEHIND = ['seat', 'awaited', 'createdBy', 'createdSeat', 'assignedBy', 'assignedSeat'] as const;

/** Parents come before their children. */
export async function pageTasks(
  q: Query,
  after: Pick<StoredTask, 'depth' | 'id'>,
  limit: number,
): Promise<ArchivedTask[]> {
  const rows = await q.all<StoredRow & Readonly<{ shelved_at: number | null }>>(sql`
    select ${tasks.columns}, shelved_at
    from tasks
    where dropped = 0 and (depth, id) > (${after.depth}, ${after.id})
    order by depth, id
    limit ${limit}`);
  return rows.map((row) => {
    const { dropped: _, ...task } = tasks.read(row);
    const carried = Object.entries(task).filter(([field]) => !isLeftBehind(field));
    return { ...Object.fromEntries(carried), archivedAt: row.shelved_at } as ArchivedTask;
  });
}

function isLeftBehind(field: string): boolean {
  return (LEFT_BEHIND as readonly string[]).includes(field);
}

const ofLiveTask = sql`task_id in (
      select id
      from tasks
      where dropped = 0
    )`;

export async function pageLinks(q: Query, after: TaskLink, limit: number): Promise<TaskLink[]> {
  const rows = await q.all<{ task_id: string; depends_on_task_id: string }>(sql`
    select task_id, depends_on_task_id
    from task_dependencies
    where (task_id, depends_on_task_id) > (${after.taskId}, ${after.dependsOnTaskId})
    and ${ofLiveTask}
    and depends_on_task_id in (
      select id
      from tasks
      where dropped = 0
    )
    order by task_id, depends_on_task_id
    limit ${limit}`);
  return rows.map((row) => ({ taskId: row.task_id, dependsOnTaskId: row.depends_on_task_id }));
}

export async function pageLabels(q: Query, after: Labelled, limit: number): Promise<Labelled[]> {
  const rows = await q.all<{ task_id: string; label: string }>(sql`
    select task_id, label
    from task_labels
    where (task_id, label) > (${after.taskId}, ${after.label}) and ${ofLiveTask}
    order by task_id, label
    limit ${limit}`);
  return rows.map((row) => ({ taskId: row.task_id, label: row.label }));
}

export function pageComments(q: Query, after: string, limit: number): Promise<Comment[]> {
  return selectComments(
    q,
    sql`
    where id > ${after} and ${ofLiveTask}
    order by id
    limit ${limit}`,
  );
}

export async function pageChecks(q: Query, after: string, limit: number): Promise<NewCheck[]> {
  const rows = await q.all<{
    id: string;
    task_id: string;
    title: string;
    required: number;
    created_at: number;
  }>(sql`
    select id, task_id, title, required, created_at
    from task_checks
    where id > ${after} and ${ofLiveTask}
    order by id
    limit ${limit}`);
  return rows.map((row) => ({
    id: row.id,
    taskId: row.task_id,
    title: row.title,
    required: row.required === 1,
    createdAt: row.created_at,
  }));
}

type ArchivedEvidenceRow = EvidenceRow & { asserted: number; fence: number };

export async function pageEvidence(q: Query, after: string, limit: number): Promise<NewEvidence[]> {
  const rows = await q.all<ArchivedEvidenceRow>(sql`
    select id, task_id, check_id, revision, passed, summary, reference, author_agent_id, asserted, fence, created_at
    from task_evidence
    where id > ${after} and ${ofLiveTask}
    order by id
    limit ${limit}`);
  return rows.map((row) => ({
    ...asEvidence(row),
    revision: row.revision,
    asserted: row.asserted === 1,
    fence: row.fence,
  }));
}

const TABLES = {
  task: 'tasks',
  comment: 'task_comments',
  check: 'task_checks',
  evidence: 'task_evidence',
} as const;

/** Dropped tasks count as known: what was taken off the board does not come back with an archive. */
export async function isKnown(q: Query, kind: keyof typeof TABLES, id: string): Promise<boolean> {
  const row = await q.get(sql`select 1 as found from ${sql.raw(TABLES[kind])} where id = ${id}`);
  return row !== undefined;
}
