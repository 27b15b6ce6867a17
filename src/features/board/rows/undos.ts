import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import {
  type ColumnKind,
  number,
  type RecordOf,
  type StoredRow,
  table,
  text,
  textOrNull,
} from '../../../store/table.ts';
import type { StoredTask } from '../task.ts';
import { tasks } from './tasks.ts';

/** What was there before: null where there was nothing, undefined where it cannot be taken back. */
const before: ColumnKind<unknown> = {
  read: (stored) => (stored === null ? undefined : (JSON.parse(stored as string) as unknown)),
  write: (value) => (value === undefined ? null : JSON.stringify(value)),
};

export const undos = table('task_undos', {
  id: text(),
  actor: text(),
  taskId: text(),
  /** The operation that was done. */
  what: text(),
  before,
  /** When the task was changed last: by this change, as long as nobody came after it. */
  leftAt: number(),
  at: number(),
  /** What was done in one go, where its maker says so. */
  command: textOrNull(),
});
export type StoredUndo = Readonly<RecordOf<typeof undos.fields>>;

/** No more than a person remembers. */
export async function forgetUndos(tx: Tx, actor: string, keep: number): Promise<void> {
  await undos.delete(
    tx,
    sql`where actor = ${actor} and id not in (
      select id
      from task_undos
      where actor = ${actor}
      order by id desc
      limit ${keep}
    )`,
  );
}

export function newestUndo(q: Query, actor: string): Promise<StoredUndo | undefined> {
  return undos.find(q, sql`where actor = ${actor} order by id desc limit 1`);
}

/** All that was done with it in one go, newest first. */
export async function undosWith(q: Query, newest: StoredUndo): Promise<StoredUndo[]> {
  const { actor, command } = newest;
  if (command === null) return [newest];
  return undos.list(q, sql`where actor = ${actor} and command = ${command} order by id desc`);
}

type Listed = Pick<StoredUndo, 'id' | 'taskId' | 'what' | 'at' | 'command'> &
  Readonly<{ title: string; teamId: string | null }>;

/** What could be taken back, newest first, with the tasks it is about. */
export async function listUndos(q: Query, actor: string, limit: number): Promise<Listed[]> {
  return q.all<Listed>(sql`
    select task_undos.id as id, task_id as "taskId", what, at, command, title, team_id as "teamId"
    from task_undos
    join tasks on tasks.id = task_undos.task_id
    where actor = ${actor}
    order by task_undos.id desc
    limit ${limit}`);
}

export async function deleteUndo(tx: Tx, id: string): Promise<void> {
  await undos.delete(tx, sql`where id = ${id}`);
}

/** The change before the one that was taken back is the newest again, of a task that now bears another time. */
export async function carryUndos(
  tx: Tx,
  taskId: string,
  { from, to }: Readonly<{ from: number; to: number }>,
): Promise<void> {
  await undos.update(tx, { leftAt: to }, sql`where task_id = ${taskId} and left_at = ${from}`);
}

type AnyTask = Readonly<{ task: StoredTask; shelvedAt: number | null }>;

/** Also what was taken off the board. Held against other writers: what is judged is what is taken back. */
export async function lockAnyTask(tx: Tx, id: string): Promise<AnyTask | undefined> {
  const row = await tx.get<StoredRow & Readonly<{ shelved_at: number | null }>>(sql`
    select ${tasks.columns}, shelved_at
    from tasks
    where id = ${id}
    ${tx.dialect.forChange}`);
  return row && { task: tasks.read(row), shelvedAt: row.shelved_at };
}
