import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

/** Answers whether the link is new. */
export async function insertDependency(tx: Tx, taskId: string, dependsOn: string): Promise<boolean> {
  const inserted = await tx.run(sql`
    insert into task_dependencies (task_id, depends_on_task_id, created_at)
    values (${taskId}, ${dependsOn}, ${tx.now})
    on conflict do nothing`);
  return inserted > 0;
}

export async function deleteDependency(tx: Tx, taskId: string, dependsOn: string): Promise<boolean> {
  const deleted = await tx.run(sql`
    delete from task_dependencies
    where task_id = ${taskId} and depends_on_task_id = ${dependsOn}`);
  return deleted > 0;
}

export async function isLinked(q: Query, taskId: string, dependsOn: string): Promise<boolean> {
  const row = await q.get(sql`
    select 1 as found
    from task_dependencies
    where task_id = ${taskId} and depends_on_task_id = ${dependsOn}`);
  return row !== undefined;
}

/** Whether `target` is `start` or anything that `start` waits for, however far. */
export async function reaches(q: Query, start: string, target: string): Promise<boolean> {
  const row = await q.get<{ found: number }>(sql`
    with recursive upstream (id) as (
      select id
      from tasks
      where id = ${start}
      union
      select link.depends_on_task_id
      from task_dependencies as link
      join upstream on link.task_id = upstream.id
    )
    select 1 as found
    from upstream
    where id = ${target}
    limit 1`);
  return row !== undefined;
}

/** Open tasks that wait for this one, with their teams: they hear of its end. */
export async function listWaiting(
  q: Query,
  taskId: string,
): Promise<Readonly<{ id: string; team_id: string | null }>[]> {
  return q.all(sql`
    select tasks.id, team_id
    from task_dependencies as link
    join tasks on tasks.id = link.task_id
    where link.depends_on_task_id = ${taskId} and dropped = 0 and status not in ('done', 'cancelled')
    order by tasks.id`);
}
