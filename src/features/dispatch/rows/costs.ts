import type { Query } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';

/** What the runs of these tasks have told of their cost, where they told one. */
export async function costsOfTasks(q: Query, among: Sql): Promise<ReadonlyMap<string, number>> {
  const rows = await q.all<{ task: string; cost: number }>(sql`
    select board_task as task, sum(cost_usd) as cost
    from runs
    where board_task in ${among} and cost_usd > 0
    group by board_task`);
  return new Map(rows.map(({ task, cost }) => [task, cost]));
}
