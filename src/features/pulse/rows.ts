// Days and medians in SQL that both engines read.
import { sql, type Sql } from '../../store/sql.ts';
import type { PulseSpan } from './shapes.ts';

const DAY_MS = 86_400_000;
/** Of anything that is listed no more are. */
export const MOST_ROWS = 2_000;

type Asked = Readonly<{ days: number; offsetMin: number; team: string | undefined; now: number }>;

/** From the beginning of the first day on, by the clock of who asks. */
export function spanOf({ days, offsetMin, team, now }: Asked): PulseSpan & Readonly<{ first: number }> {
  const offset = offsetMin * 60_000;
  const first = Math.floor((now + offset) / DAY_MS) - days + 1;
  return {
    first,
    since: first * DAY_MS - offset,
    now,
    team,
    day: (column) => sql`((${column} + ${sql.raw(String(offset))}) / ${sql.raw(String(DAY_MS))})`,
  };
}

/**
 * Rows of `day` and a time, by day: how many, and the time that half of them took longer than. Both engines count ranks, and
 * one of them has no other way to a median.
 */
export function byDay(rows: Sql, more: Sql = sql.empty): Sql {
  return sql`
    select day, count(*) as count, cast(avg(case when 2 * rank in (total, total + 1, total + 2) then ms end) as bigint) as ms
      ${more}
    from (
      select r.*,
        row_number() over (partition by day order by case when ms is null then 1 else 0 end, ms) as rank,
        sum(case when ms is null then 0 else 1 end) over (partition by day) as total
      from (${rows}) r
    ) ranked
    group by day
    order by day`;
}
