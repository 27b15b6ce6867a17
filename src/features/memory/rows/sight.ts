import type { Sight } from '../../../recall/recall.ts';
import { sql } from '../../../store/sql.ts';
import type { Sql } from '../../../store/sql.ts';

/** What the reader may see, for queries that join `recall_scopes scope`. No fact and no procedure is read without it. */
export function isSeen(sight: Sight): Sql {
  return sql`
    scope.space = ${sight.space}
    ${sight.tenant === undefined ? sql.empty : sql`and scope.tenant = ${sight.tenant}`}
    ${sight.team === undefined ? sql.empty : sql`and scope.team in ('', ${sight.team})`}
    ${sight.agent === undefined ? sql.empty : sql`and scope.agent in ('', ${sight.agent})`}`;
}

/** A page of what is in sight, in the order of what it goes on after. */
export type After = Readonly<{ limit: number; after: string }>;
