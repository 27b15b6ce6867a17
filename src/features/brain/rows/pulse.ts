// What the credit of the brain's files tells of its days.
import { sql } from '../../../store/sql.ts';
import type { AskPulse } from '../../pulse/pulse.ts';

/** So many of the newest changes are counted: their ids are in the order of time. */
const MOST_CHANGES = 50_000;

export const brainPulse: AskPulse = async (q, { since, day }) => {
  const credit = await q.all<{ day: number; helped: number; failed: number; mean: number }>(sql`
    select ${day(sql`created_at`)} as day, sum(case when reward > 0 then 1 else 0 end) as helped,
      sum(case when reward < 0 then 1 else 0 end) as failed, avg(new_score) as mean
    from (select * from credit_events order by id desc limit ${MOST_CHANGES}) newest
    where created_at >= ${since} and reward <> 0 and new_score is not null
    group by 1
    order by 1`);
  // To the thousandth: means of fractions end in noise.
  return { credit: credit.map((row) => ({ ...row, mean: Math.round(row.mean * 1000) / 1000 })) };
};
