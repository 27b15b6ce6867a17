import type { Query } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import type { Relative } from '../detail.ts';
import type { StoredTask } from '../task.ts';
import { tasks } from './tasks.ts';

/** What stands beside a task. */
const relatives = tasks.only('id', 'title', 'status', 'parentTaskId');

/** Parent first, root last. */
export async function listAncestors(q: Query, task: StoredTask): Promise<Relative[]> {
  if (task.parentTaskId === null) return [];
  return relatives.all(
    q,
    sql`
    with recursive line (${relatives.columns}, depth) as (
      select ${relatives.columns}, depth
      from tasks
      where id = ${task.parentTaskId}
      union all
      select ${relatives.columnsOf('above')}, above.depth
      from tasks as above
      join line on above.id = line.parent_task_id
    )
    select ${relatives.columns}
    from line
    order by depth desc`,
  );
}

export function listChildren(q: Query, parentId: string, limit: number): Promise<Relative[]> {
  return relatives.all(
    q,
    sql`
    select ${relatives.columns}
    from tasks
    where parent_task_id = ${parentId} and dropped = 0
    order by id
    limit ${limit}`,
  );
}

export function listDependencies(q: Query, taskId: string, limit: number): Promise<Relative[]> {
  return list(q, sql`tasks.id = link.depends_on_task_id where link.task_id = ${taskId}`, limit);
}

export function listDependents(q: Query, taskId: string, limit: number): Promise<Relative[]> {
  return list(q, sql`tasks.id = link.task_id where link.depends_on_task_id = ${taskId}`, limit);
}

/** What still holds a task back. */
export function listOpenDependencies(q: Query, taskId: string, limit: number): Promise<Relative[]> {
  const isOpen = sql`status not in ('done', 'cancelled')`;
  return list(q, sql`tasks.id = link.depends_on_task_id where link.task_id = ${taskId} and ${isOpen}`, limit);
}

function list(q: Query, which: Sql, limit: number): Promise<Relative[]> {
  return relatives.all(
    q,
    sql`
    select ${relatives.columnsOf('tasks')}
    from task_dependencies as link
    join tasks on ${which} and dropped = 0
    order by tasks.id
    limit ${limit}`,
  );
}
