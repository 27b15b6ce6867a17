// What calls and requests for permission tell of their days.
import { sql } from '../../../store/sql.ts';
import { type AskPulse, byDay } from '../../pulse/pulse.ts';
import { readMark } from './audit.ts';

/** So many rows of the audit, the newest, are counted. */
const MOST_AUDITED = 200_000;

export const brokerPulse: AskPulse = async (q, { since, team, day }) => {
  const own = team === undefined ? sql.empty : sql`and (project = ${team} or team_id = ${team})`;
  const waited = await q.all<{ day: number; count: number; ms: number | null; expired: number }>(
    byDay(
      sql`
      select ${day(sql`created_at`)} as day, resolved_at - created_at as ms,
        case when status = 'expired' then 1 else 0 end as is_expired
      from tool_approvals
      where created_at >= ${since} ${own}`,
      sql`, sum(is_expired) as expired`,
    ),
  );
  const { seq } = await readMark(q, 'head');
  const calls = await q.all<{ day: number; calls: number; refused: number; failed: number }>(sql`
    select ${day(sql`created_at`)} as day, count(*) as calls,
      sum(case when outcome = 'denied' then 1 else 0 end) as refused,
      sum(case when outcome = 'error' then 1 else 0 end) as failed
    from tool_audit
    where seq > ${seq - MOST_AUDITED} and phase = 'after' and created_at >= ${since} ${own}
    group by 1
    order by 1`);
  return {
    waited: waited.map(({ day: at, count, ms, expired }) => ({ day: at, asked: count, expired, waitMs: ms })),
    calls,
  };
};
