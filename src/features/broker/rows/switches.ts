import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export async function disabledTools(q: Query): Promise<string[]> {
  const rows = await q.all<{ name: string }>(
    sql`select name from tool_switches where enabled = 0 order by name`,
  );
  return rows.map(({ name }) => name);
}

/** Answers whether this changed anything. */
export async function switchTool(
  tx: Tx,
  change: { name: string; enabled: boolean; by: string },
): Promise<boolean> {
  const enabled = change.enabled ? 1 : 0;
  const changed = await tx.run(sql`
    insert into tool_switches (name, enabled, changed_at, changed_by)
    values (${change.name}, ${enabled}, ${tx.now}, ${change.by})
    on conflict (name) do update
    set enabled = excluded.enabled, changed_at = excluded.changed_at, changed_by = excluded.changed_by
    where tool_switches.enabled <> excluded.enabled`);
  return changed === 1;
}
