import { STRETCH_SIZE } from '../../../recall/recall.ts';
import type { Query } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

/** The id of the first fact of each stretch. A stretch lies in one scope, so who sees a fact of it may see that id. */
export async function firstOfStretches(q: Query, stretches: readonly number[]): Promise<Map<number, string>> {
  if (stretches.length === 0) return new Map();
  const rows = await q.all<{ stretch: number; id: string }>(sql`
    with stretches (stretch) as ${q.dialect.numbersIn(stretches)}
    select stretch, (
      select id
      from memory_facts
      where no >= stretch * ${STRETCH_SIZE} and no < (stretch + 1) * ${STRETCH_SIZE}
      order by no
      limit 1
    ) as id
    from stretches`);
  return new Map(rows.map((row) => [row.stretch, row.id]));
}
