import type { ScopeTags } from '../../../recall/recall.ts';
import type { Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

/** Who saved something first and when, for what came from another hub. Who brought it is in the events. */
export type FirstSaved = Readonly<{ author: string; isAsserted: boolean; createdAt: number }>;

export async function keepOfFact(
  tx: Tx,
  id: string,
  { author, isAsserted, createdAt }: FirstSaved,
): Promise<void> {
  await tx.run(sql`
    update memory_facts
    set author = ${author}, asserted = ${isAsserted ? 1 : 0}, created_at = ${createdAt}
    where id = ${id}`);
}

export async function keepOfProcedure(
  tx: Tx,
  id: string,
  { author, isAsserted, createdAt }: FirstSaved,
): Promise<void> {
  await tx.run(sql`
    update memory_procedures
    set author = ${author}, asserted = ${isAsserted ? 1 : 0}, created_at = ${createdAt}
    where id = ${id}`);
}

/** What the versions of that procedure say that were saved at that moment. */
export async function versionsOf(
  tx: Tx,
  tags: ScopeTags,
  version: Readonly<{ name: string; createdAt: number }>,
): Promise<string[]> {
  const rows = await tx.all<{ content: string }>(sql`
    select procedure.content
    from recall_scopes scope
    join memory_procedures procedure on procedure.scope_no = scope.no
    where scope.space = ${tags.space}
      and scope.tenant = ${tags.tenant}
      and scope.team = ${tags.team}
      and scope.agent = ${tags.agent}
      and procedure.name = ${version.name}
      and procedure.created_at = ${version.createdAt}`);
  return rows.map((row) => row.content);
}
