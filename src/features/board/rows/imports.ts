// SQL of imports that are not whole yet. A task is held from the unit that makes it, so nobody ever sees it free before.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export async function holdTask(tx: Tx, taskId: string, importId: string): Promise<void> {
  await tx.run(sql`
    insert into task_imports (task_id, import_id)
    values (${taskId}, ${importId})`);
}

/** What an import that broke off left behind goes on with the one that brings the same task again. */
export async function takeOverTask(tx: Tx, taskId: string, importId: string): Promise<void> {
  await tx.run(sql`
    update task_imports
    set import_id = ${importId}
    where task_id = ${taskId}`);
}

export async function isHeld(q: Query, taskId: string): Promise<boolean> {
  return (await q.get(sql`select 1 as held from task_imports where task_id = ${taskId}`)) !== undefined;
}

/** Everything an import brought becomes work at once. Answers how many tasks that are. */
export function releaseTasks(tx: Tx, importId: string): Promise<number> {
  return tx.run(sql`
    delete from task_imports
    where import_id = ${importId}`);
}
