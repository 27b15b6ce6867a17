import type { Query } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';

/** Most ids named where several end alike. */
const NAMED = 20;
type Ids = Readonly<{ ids: string[]; total: number }>;

/** Which tasks are meant by the end of an id: those in sight, else those put out of it. A whole id means itself, and so does what another tool calls it. */
export async function findIdsEnding(q: Query, teamId: string | undefined, end: string): Promise<Ids> {
  const ofTeam = teamId === undefined ? sql.empty : sql`and team_id = ${teamId}`;
  const find = async (which: Sql): Promise<Ids> => {
    const rows = await q.all<{ id: string; total: number }>(sql`
      select id, count(*) over () as total
      from tasks
      where dropped = 0 ${ofTeam} and ${which}
      order by id
      limit ${NAMED}`);
    return { ids: rows.map(({ id }) => id), total: rows[0]?.total ?? 0 };
  };
  const lower = end.toLowerCase();
  const endsSo = sql`substr(id, length(id) - ${lower.length} + 1) = ${lower}`;
  for (const which of [sql`id = ${end}`, sql`external_id = ${end}`, sql`shelved_at is null and ${endsSo}`]) {
    const found = await find(which);
    if (found.total > 0) return found;
  }
  return find(sql`shelved_at is not null and ${endsSo}`);
}
