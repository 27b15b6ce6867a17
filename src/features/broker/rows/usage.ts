import type { Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export type UseSpan = 'minute' | 'day';

const SPAN_MS: Readonly<Record<UseSpan, number>> = { minute: 60_000, day: 86_400_000 };

export type Use = Readonly<{ principal: string; toolName: string; span: UseSpan }>;

/** Counts a call in its window and answers the new count, across all processes on this database. */
export async function countUse(tx: Tx, use: Use): Promise<number> {
  const start = Math.floor(tx.now / SPAN_MS[use.span]) * SPAN_MS[use.span];
  const row = await tx.get<{ calls: number }>(sql`
    insert into tool_usage (principal, tool_name, span, window_start, calls)
    values (${use.principal}, ${use.toolName}, ${use.span}, ${start}, 1)
    on conflict (principal, tool_name, span) do update
    set calls = case when tool_usage.window_start = excluded.window_start then tool_usage.calls + 1 else 1 end,
        window_start = excluded.window_start
    returning calls`);
  return row!.calls;
}

export async function dropUsageBefore(tx: Tx, at: number): Promise<number> {
  return tx.run(sql`delete from tool_usage where window_start < ${at}`);
}
