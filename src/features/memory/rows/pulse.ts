// What memory tells of its days.
import { sql } from '../../../store/sql.ts';
import type { AskPulse } from '../../pulse/pulse.ts';

export const memoryPulse: AskPulse = async (q, { since, day }) => {
  const remembered = await q.all<{ day: number; saved: number; retired: number }>(sql`
    select day, sum(saved) as saved, sum(retired) as retired
    from (
      select ${day(sql`created_at`)} as day, 1 as saved, 0 as retired
      from memory_facts
      where created_at >= ${since}
      union all
      select ${day(sql`valid_to`)} as day, 0 as saved, 1 as retired
      from memory_facts
      where valid_to >= ${since}
    ) facts
    group by day
    order by day`);
  return { remembered };
};
