// What landings tell of their days.
import { sql } from '../../../store/sql.ts';
import { type AskPulse, byDay } from '../../pulse/pulse.ts';

type Row = Readonly<{ day: number; ms: number | null; landed: number; failed: number; batches: number }>;

export const landingPulse: AskPulse = async (q, { since, team, day }) => {
  const own =
    team === undefined ? sql.empty : sql`and queue in (select key from land_queues where project = ${team})`;
  const rows = await q.all<Row>(
    byDay(
      sql`
      select ${day(sql`updated_at`)} as day, batch,
        case when state = 'landed' then updated_at - created_at end as ms,
        case when state = 'landed' then 1 else 0 end as is_landed
      from landings
      where updated_at >= ${since} and state in ('landed', 'failed', 'conflict') ${own}`,
      sql`, sum(is_landed) as landed, sum(1 - is_landed) as failed, count(distinct batch) as batches`,
    ),
  );
  return {
    landed: rows.map(({ day: at, ms, landed, failed, batches }) => ({
      day: at,
      landed,
      failed,
      batches,
      waitMs: ms,
    })),
  };
};
