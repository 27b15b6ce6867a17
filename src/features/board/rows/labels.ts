import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { StoredRow } from '../../../store/table.ts';
import type { StoredTask } from '../task.ts';
import { tasks } from './tasks.ts';

export async function listLabels(q: Query, taskId: string): Promise<string[]> {
  const rows = await q.all<{ label: string }>(
    sql`select label from task_labels where task_id = ${taskId} order by label`,
  );
  return rows.map(({ label }) => label);
}

/** Answers whether it is new. */
export async function insertLabel(tx: Tx, taskId: string, label: string): Promise<boolean> {
  const inserted = await tx.run(sql`
    insert into task_labels (task_id, label)
    values (${taskId}, ${label})
    on conflict do nothing`);
  return inserted > 0;
}

export async function deleteLabel(tx: Tx, taskId: string, label: string): Promise<boolean> {
  return (await tx.run(sql`delete from task_labels where task_id = ${taskId} and label = ${label}`)) > 0;
}

export type Labelled = Readonly<{ taskId: string; label: string }>;

/** Of tasks in sight, label by label. */
export async function listLabelled(q: Query, teamId: string | undefined, limit: number): Promise<Labelled[]> {
  const rows = await q.all<{ task_id: string; label: string }>(sql`
    select task_labels.task_id, task_labels.label
    from task_labels
    join tasks on tasks.id = task_labels.task_id
    where tasks.dropped = 0 and tasks.shelved_at is null
      ${teamId === undefined ? sql.empty : sql`and tasks.team_id = ${teamId}`}
    order by task_labels.label, task_labels.task_id
    limit ${limit}`);
  return rows.map((row) => ({ taskId: row.task_id, label: row.label }));
}

/** Finished before that moment and still in sight. */
export async function listUnshelved(q: Query, before: number, limit: number): Promise<StoredTask[]> {
  const rows = await q.all<StoredRow>(sql`
    select ${tasks.columns}
    from tasks
    where dropped = 0
      and shelved_at is null
      and status in ('done', 'cancelled')
      and completed_at < ${before}
    order by id
    limit ${limit}`);
  return rows.map(tasks.read);
}

export async function setShelved(tx: Tx, taskId: string, shelvedAt: number | null): Promise<boolean> {
  const condition = shelvedAt === null ? sql`shelved_at is not null` : sql`shelved_at is null`;
  return (
    (await tx.run(sql`update tasks set shelved_at = ${shelvedAt} where id = ${taskId} and ${condition}`)) > 0
  );
}
