import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { json, table, text } from '../../../store/table.ts';
import type { StoredTask } from '../task.ts';
import { tasks } from './tasks.ts';

/**
 * What a task that travels says elsewhere, field by field: when and by whom it was said, a digest of what the board here said
 * when the two were last in step, and the value where that is another one. `prev`: when what it replaced was said, of a value
 * that is from here: whatever somebody else said since then, they said without knowing of it.
 */
export type Kept = Readonly<{ at: number; by: string; here: string; value?: unknown; prev?: number }>;
export type KeptFields = Readonly<Record<string, Kept>>;

const stamps = table('task_stamps', { taskId: text(), teamId: text(), fields: json<KeptFields>() });

export async function readStamps(
  q: Query,
  taskIds: readonly string[],
): Promise<Map<string, Readonly<{ teamId: string; fields: KeptFields }>>> {
  const rows = await stamps.list(q, sql`where task_id ${q.dialect.isOneOfTexts(taskIds)}`);
  return new Map(rows.map(({ taskId, ...row }) => [taskId, row]));
}

export async function writeStamps(
  tx: Tx,
  row: Readonly<{ taskId: string; teamId: string; fields: KeptFields }>,
): Promise<void> {
  await stamps.put(tx, row, ['taskId']);
}

/** What was dropped before it ever travelled does not travel. */
const travels = sql`(dropped = 0 or id in (select task_id from task_stamps))`;

export function pageOfTeam(
  q: Query,
  teamId: string,
  { after, limit }: Readonly<{ after: string; limit: number }>,
): Promise<StoredTask[]> {
  return tasks.list(
    q,
    sql`
    where team_id = ${teamId} and id > ${after} and ${travels}
    order by id
    limit ${limit}`,
  );
}

/** In the order of ids, those among them that are no tasks here. */
export async function stampedWithoutTask(
  q: Query,
  teamId: string,
  { after, until }: Readonly<{ after: string; until: string | undefined }>,
): Promise<Readonly<{ taskId: string; fields: KeptFields }>[]> {
  return stamps.list(
    q,
    sql`
    where team_id = ${teamId} and task_id > ${after}
      ${until === undefined ? sql.empty : sql`and task_id <= ${until}`}
      and not exists (select 1 from tasks where tasks.id = task_stamps.task_id and tasks.team_id = ${teamId})
    order by task_id`,
  );
}

export type Pair = Readonly<{ taskId: string; other: string }>;

export async function labelsOfTasks(q: Query, taskIds: readonly string[]): Promise<Pair[]> {
  return q.all<Pair>(sql`
    select task_id as "taskId", label as "other"
    from task_labels
    where task_id ${q.dialect.isOneOfTexts(taskIds)}`);
}

/** Links from one task of a team to another. */
export async function linksOfTasks(q: Query, taskIds: readonly string[]): Promise<Pair[]> {
  return q.all<Pair>(sql`
    select link.task_id as "taskId", link.depends_on_task_id as "other"
    from task_dependencies as link
    join tasks as one on one.id = link.task_id
    join tasks as two on two.id = link.depends_on_task_id and two.team_id = one.team_id
    where link.task_id ${q.dialect.isOneOfTexts(taskIds)}`);
}
