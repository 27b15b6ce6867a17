import type { ScopeTags, Sight } from '../../../recall/recall.ts';
import { type Sql, sql } from '../../../store/sql.ts';

/** What the reader may see, for queries that join `recall_scopes scope`. No fact and no procedure is read without it. */
export function isSeen(sight: Sight): Sql {
  return sql`
    scope.space = ${sight.space}
    ${sight.tenant === undefined ? sql.empty : sql`and scope.tenant = ${sight.tenant}`}
    ${sight.team === undefined ? sql.empty : sql`and scope.team in ('', ${sight.team})`}
    ${sight.agent === undefined ? sql.empty : sql`and scope.agent in ('', ${sight.agent})`}`;
}

/** Exactly these tags, for the same queries. */
export function hasTags({ space, tenant, team, agent }: ScopeTags): Sql {
  return sql`
    scope.space = ${space}
    and scope.tenant = ${tenant}
    and scope.team = ${team}
    and scope.agent = ${agent}`;
}

/** Tags as surfaces show them, where none is null. */
export function shownScope({ tenant, team, agent }: Omit<ScopeTags, 'space'>) {
  return { scopeAgentId: agent || null, scopeTeamId: team || null, tenantId: tenant || null };
}

/** A page of what is in sight, in the order of what it goes on after. */
export type After = Readonly<{ limit: number; after: string }>;

/** Teams that something is remembered of: a scope that everything was moved out of names none. */
export const teamsOfMemory = sql`
  select scope.team
  from recall_scopes scope
  where scope.team <> ''
    and (
      exists (select 1 from memory_facts where memory_facts.scope_no = scope.no)
      or exists (select 1 from memory_procedures where memory_procedures.scope_no = scope.no)
    )`;
