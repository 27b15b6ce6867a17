import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

/** Of these tasks: those that were put somewhere, with the place. */
export async function placesOf(q: Query, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await q.all<{ task: string; place: string }>(
    sql`select task_id as task, place from task_places where task_id in ${sql.in(ids)}`,
  );
  return new Map(rows.map(({ task, place }) => [task, place]));
}

export async function setPlace(tx: Tx, taskId: string, place: string): Promise<void> {
  await tx.run(sql`
    insert into task_places (task_id, place)
    values (${taskId}, ${place})
    on conflict (task_id) do update set place = excluded.place`);
}

/** Answers whether it had one. */
export async function deletePlace(tx: Tx, taskId: string): Promise<boolean> {
  return (await tx.run(sql`delete from task_places where task_id = ${taskId}`)) > 0;
}
