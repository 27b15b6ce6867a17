import type { Query } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { Usage } from '../frames/common.ts';

export type SpentTotal = Readonly<{ dollars: number; turns: number }>;

/** What the runs of a project that began since then have told of their cost. */
export async function spentBy(q: Query, project: string, since: number): Promise<SpentTotal> {
  const rows = await q.all<{ costUsd: number | null; usage: string | null }>(sql`
    select cost_usd as "costUsd", usage
    from runs
    where project = ${project} and created_at > ${since} and usage is not null`);
  return rows.reduce<SpentTotal>(
    ({ dollars, turns }, { costUsd, usage }) => ({
      dollars: dollars + (costUsd ?? 0),
      turns: turns + (usage === null ? 0 : (JSON.parse(usage) as Usage).turns),
    }),
    { dollars: 0, turns: 0 },
  );
}
