import type { AuditPage } from './filter.ts';

export type AuditRow = AuditPage['audit'][number];

/** One call: what was written before it ran and after, and how long it waited for somebody apart from how long it ran. */
export type Call = Readonly<{
  row: AuditRow;
  before: AuditRow | undefined;
  ranMs: number | null;
  waitedMs: number | null;
}>;

/** Less is the hub's own work, and no wait. */
const NOTICED_MS = 250;

/** Rows as the hub keeps them, newest first, as calls in the same order. Decisions stand for themselves. */
export function callsOf(rows: readonly AuditRow[]): readonly Call[] {
  const begun = new Map(rows.flatMap((row) => (row.phase === 'before' ? [[row.callId, row] as const] : [])));
  const ended = new Set(rows.flatMap((row) => (row.phase === 'after' ? [row.callId] : [])));
  return rows
    .filter(({ phase, callId }) => phase !== 'before' || !ended.has(callId))
    .map((row) => {
      const before = row.phase === 'after' ? begun.get(row.callId) : undefined;
      const waited = before ? row.createdAt - before.createdAt - (row.durationMs ?? 0) : 0;
      return { row, before, ranMs: row.durationMs, waitedMs: waited >= NOTICED_MS ? waited : null };
    });
}

/** What a tool answered, as text where it is text: JSON around it is the protocol's, not the tool's. */
export function textOf(summary: string | null): string | null {
  if (summary === null) return null;
  try {
    return said(JSON.parse(summary));
  } catch {
    return summary;
  }
}

function said(value: unknown): string {
  if (typeof value === 'string') return value;
  if (Array.isArray(value) && value.length > 0 && value.every(isText))
    return value.map(({ text }) => text).join('\n');
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    const { content, ...rest } = value as Record<string, unknown>;
    if (content !== undefined && Object.keys(rest).length === 0) return said(content);
  }
  return JSON.stringify(value, null, 2);
}

function isText(value: unknown): value is { text: string } {
  return (
    typeof value === 'object' && value !== null && typeof (value as { text?: unknown }).text === 'string'
  );
}
