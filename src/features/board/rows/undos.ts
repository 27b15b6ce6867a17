import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { StoredRow } from '../../../store/table.ts';
import { tasks } from './tasks.ts';
import type { StoredTask } from '../task.ts';

export type TaskUndo = Readonly<{
  id: string;
  actor: string;
  taskId: string;
  /** What was done, as its route is called. */
  what: string;
  /** Undefined: it cannot be taken back. */
  before: unknown;
  /** When the task was changed last: by this change, as long as nobody came after it. */
  leftAt: number;
  at: number;
}>;

type UndoRow = {
  id: string;
  actor: string;
  task_id: string;
  what: string;
  before: string | null;
  left_at: number;
  at: number;
};

export async function insertUndo(tx: Tx, undo: TaskUndo): Promise<void> {
  const before = undo.before === undefined ? null : JSON.stringify(undo.before);
  await tx.run(sql`
    insert into task_undos (id, actor, task_id, what, before, left_at, at)
    values (${undo.id}, ${undo.actor}, ${undo.taskId}, ${undo.what}, ${before}, ${undo.leftAt}, ${undo.at})`);
}

/** No more than a person remembers. */
export async function forgetUndos(tx: Tx, actor: string, keep: number): Promise<void> {
  await tx.run(sql`
    delete from task_undos
    where actor = ${actor} and id not in (
      select id
      from task_undos
      where actor = ${actor}
      order by id desc
      limit ${keep}
    )`);
}

export async function newestUndo(q: Query, actor: string): Promise<TaskUndo | undefined> {
  const row = await q.get<UndoRow>(sql`
    select id, actor, task_id, what, before, left_at, at
    from task_undos
    where actor = ${actor}
    order by id desc
    limit 1`);
  if (!row) return undefined;
  const before = row.before === null ? undefined : (JSON.parse(row.before) as unknown);
  return {
    id: row.id,
    actor: row.actor,
    taskId: row.task_id,
    what: row.what,
    before,
    leftAt: row.left_at,
    at: row.at,
  };
}

export async function deleteUndo(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`delete from task_undos where id = ${id}`);
}

/** The change before the one that was taken back is the newest again, of a task that now bears another time. */
export async function carryUndos(
  tx: Tx,
  taskId: string,
  { from, to }: Readonly<{ from: number; to: number }>,
): Promise<void> {
  await tx.run(sql`update task_undos set left_at = ${to} where task_id = ${taskId} and left_at = ${from}`);
}

/** Also what was taken off the board. */
export async function findAnyTask(q: Query, id: string): Promise<StoredTask | undefined> {
  const row = await q.get<StoredRow>(sql`select ${tasks.columns} from tasks where id = ${id}`);
  return row && tasks.read(row);
}

export async function shelvedAt(q: Query, id: string): Promise<number | null> {
  return (
    (await q.get<{ shelved_at: number | null }>(sql`select shelved_at from tasks where id = ${id}`))
      ?.shelved_at ?? null
  );
}
