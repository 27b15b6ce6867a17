import type { Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

/** Counted by the rows they guard, so that concurrent creators take turns on that row and no count is missed. */

/** Counts one more child of a live parent. Undefined when the parent is gone. */
export async function countChild(tx: Tx, parentId: string): Promise<number | undefined> {
  const row = await tx.get<{ child_count: number }>(sql`
    update tasks
    set child_count = child_count + 1
    where id = ${parentId} and dropped = 0
    returning child_count`);
  return row?.child_count;
}

/** A dropped child makes room for another. */
export async function uncountChild(tx: Tx, parentId: string): Promise<void> {
  await tx.run(sql`
    update tasks
    set child_count = child_count - 1
    where id = ${parentId}`);
}

/** Counts one more root task of the team in the window; answers how many there are now. */
export async function countRoot(tx: Tx, teamId: string, windowStart: number): Promise<number> {
  const row = await tx.get<{ created: number }>(sql`
    insert into task_windows (team_id, starts_at, created)
    values (${teamId}, ${windowStart}, 1)
    on conflict (team_id, starts_at) do update
    set created = task_windows.created + 1
    returning created`);
  return row!.created;
}

export function forgetWindows(tx: Tx, before: number): Promise<number> {
  return tx.run(sql`
    delete from task_windows
    where starts_at < ${before}`);
}
