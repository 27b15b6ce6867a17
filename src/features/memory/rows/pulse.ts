// What memory tells of its days.
import { sql } from '../../../store/sql.ts';
import type { AskPulse } from '../../pulse/pulse.ts';
import { wasGiven } from './readers.ts';

/** Who was given what is kept for two weeks, with the last time of each: older days say nothing of it. */
export const memoryPulse: AskPulse = async (q, { since, day }) => {
  const remembered = await q.all<{ day: number; saved: number; retired: number; given: number }>(sql`
    select day, sum(saved) as saved, sum(retired) as retired, sum(given) as given
    from (
      select ${day(sql`created_at`)} as day, 1 as saved, 0 as retired, 0 as given
      from memory_facts
      where created_at >= ${since}
      union all
      select ${day(sql`valid_to`)} as day, 0 as saved, 1 as retired, 0 as given
      from memory_facts
      where valid_to >= ${since}
      union all
      select ${day(sql`at`)} as day, 0 as saved, 0 as retired, 1 as given
      from memory_given
      where at >= ${since} and ${wasGiven}
    ) facts
    group by day
    order by day`);
  return { remembered };
};
