// SQL of what runs used, and when: parts that are over, runs of one part, and what those under way told so far.
import type { Query } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { jsonOrNull, number, numberOrNull, table, text, textOrNull } from '../../../store/table.ts';
import type { Usage } from '../frames/common.ts';

const used = table('runs', {
  instance: text(),
  sessionId: textOrNull(),
  usage: jsonOrNull<Usage>(),
  costUsd: numberOrNull(),
  at: number(),
});

export type RunUse = Readonly<{ instance: string; at: number; tokens: number; dollars: number }>;

export async function usedSince(q: Query, since: number, now: number): Promise<RunUse[]> {
  const rows = await used.all(
    q,
    sql`
      select instance, session_id, usage, cost_usd, ended_at as at
      from run_parts
      where ended_at > ${since}
      union all
      select instance, session_id, usage, cost_usd, coalesce(closed_at, ${now}) as at
      from runs
      where usage is not null and (closed_at is null or closed_at > ${since})
        and not exists (select 1 from run_parts where run_parts.run_id = runs.id)`,
  );
  return rows.map(({ instance, at, usage, costUsd }) => ({
    instance,
    at,
    tokens: usage === null ? 0 : tokensOf(usage),
    dollars: costUsd ?? usage?.costUsd ?? 0,
  }));
}

/** All that was read and written. */
function tokensOf({ inputUncached, cacheRead, cacheWrite, output }: Usage): number {
  return inputUncached + cacheRead + cacheWrite + output;
}

/** Of these sessions those that runs of ours had. */
export async function sessionsOfRuns(q: Query, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (let from = 0; from < ids.length; from += MOST_AT_ONCE) {
    const some = sql.in(ids.slice(from, from + MOST_AT_ONCE));
    const rows = await q.all<{ id: string }>(sql`
      select session_id as id from runs where session_id in ${some}
      union
      select session_id as id from run_parts where session_id in ${some}`);
    for (const { id } of rows) found.add(id);
  }
  return found;
}

const MOST_AT_ONCE = 500;
