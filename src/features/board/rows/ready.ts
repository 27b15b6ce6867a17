// What can be begun: parts of a `where` on `tasks`.
import { type Sql, sql } from '../../../store/sql.ts';

/** Holds back whoever depends on it. Cancelled and dropped dependencies are released. */
export const isOpen = sql`open.dropped = 0 and open.status not in ('done', 'cancelled')`;

/** Part of a `where` on `tasks`: it is whole, and nothing it depends on is still open. Asked about one row. */
export const isReady = sql`not exists (
      select 1
      from task_imports as unfinished
      where unfinished.task_id = tasks.id
    )
    and not exists (
      select 1
      from task_dependencies as link
      join tasks as open on open.id = link.depends_on_task_id
      where link.task_id = tasks.id and ${isOpen}
    )`;

/** Part of a `where` on `tasks`: free, or held under a lease that is over. */
export function isFree(now: number): Sql {
  return sql`dropped = 0
    and ((status = 'todo' and assignee_agent_id is null) or (status = 'in_progress' and lease_until <= ${now}))`;
}

/** Part of a `where` on `tasks`: it is whole, and nothing it depends on is still open. What waits is gathered once for all rows. The cross join makes SQLite begin with the links. */
export const isReadyAmongMany = sql`id not in (
      select task_id
      from task_imports
    )
    and id not in (
      select link.task_id
      from task_dependencies as link
      cross join tasks as open
      where open.id = link.depends_on_task_id and ${isOpen}
    )`;
