import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';
import { number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../store/table.ts';

/** A tool as it was last listed, and as it was approved. */
const sourceTools = table('source_tools', {
  source: text(),
  tool: text(),
  hash: text(),
  definition: text(),
  approvedHash: textOrNull(),
  approvedDefinition: textOrNull(),
  approvedAt: numberOrNull(),
  approvedBy: textOrNull(),
  rejectedHash: textOrNull(),
  rejectedAt: numberOrNull(),
  rejectedBy: textOrNull(),
  firstSeenAt: number(),
  changedAt: number(),
});
const listed = sourceTools.only('source', 'tool', 'hash', 'definition', 'firstSeenAt', 'changedAt');
export type ToolRow = Readonly<RecordOf<typeof sourceTools.fields>>;

export async function toolRows(q: Query, source: string): Promise<ToolRow[]> {
  return sourceTools.list(q, sql`where source = ${source} order by tool`);
}

export type Definition = Readonly<{ source: string; tool: string; hash: string; definition: string }>;

/** A definition seen for the first time, or another one under a known name. What was approved stays as it was. */
export async function recordDefinition(tx: Tx, definition: Definition): Promise<void> {
  await tx.run(sql`
    insert into source_tools ${listed.values({ ...definition, firstSeenAt: tx.now, changedAt: tx.now })}
    on conflict (source, tool) do update
    set hash = excluded.hash, definition = excluded.definition, changed_at = excluded.changed_at`);
}

/** A decision on what was seen under this hash, and on nothing that came after it. */
export type Decided = Readonly<{ source: string; tool: string; hash: string; by: string }>;

/** What was approved before is kept for taking this back. Answers whether the definition was still there. */
export async function approveDefinition(tx: Tx, one: Decided): Promise<boolean> {
  const changed = await tx.run(sql`
    update source_tools
    set prior_hash = approved_hash, prior_definition = approved_definition,
      prior_at = approved_at, prior_by = approved_by,
      approved_hash = hash, approved_definition = definition, approved_at = ${tx.now}, approved_by = ${one.by}
    where source = ${one.source} and tool = ${one.tool} and hash = ${one.hash}
      and (approved_hash is null or approved_hash <> hash)`);
  return changed === 1;
}

export async function rejectDefinition(tx: Tx, one: Decided): Promise<boolean> {
  const changed = await tx.run(sql`
    update source_tools
    set rejected_hash = hash, rejected_at = ${tx.now}, rejected_by = ${one.by}
    where source = ${one.source} and tool = ${one.tool} and hash = ${one.hash}`);
  return changed === 1;
}

/** Back to what was approved before; of a definition that is still the one decided on. */
export async function undoApproval(tx: Tx, { source, tool, hash }: Omit<Decided, 'by'>): Promise<void> {
  await tx.run(sql`
    update source_tools
    set approved_hash = prior_hash, approved_definition = prior_definition,
      approved_at = prior_at, approved_by = prior_by,
      prior_hash = null, prior_definition = null, prior_at = null, prior_by = null
    where source = ${source} and tool = ${tool} and hash = ${hash} and approved_hash = hash`);
}

export async function undoRejection(tx: Tx, { source, tool, hash }: Omit<Decided, 'by'>): Promise<void> {
  await sourceTools.update(
    tx,
    { rejectedHash: null, rejectedAt: null, rejectedBy: null },
    sql`where source = ${source} and tool = ${tool} and hash = ${hash} and rejected_hash = hash`,
  );
}

export async function dropTools(tx: Tx, source: string): Promise<void> {
  await sourceTools.delete(tx, sql`where source = ${source}`);
}

/** What one hub runs. */
const states = table('source_states', {
  hub: text(),
  source: text(),
  state: text(),
  reason: textOrNull(),
  pid: numberOrNull(),
  tools: number(),
  changedAt: number(),
});
export type StateRow = Readonly<RecordOf<typeof states.fields>>;

export async function recordState(tx: Tx, row: Omit<StateRow, 'changedAt'>): Promise<void> {
  await states.put(tx, { ...row, changedAt: tx.now }, ['hub', 'source']);
}

export async function countStates(q: Query, hub: string): Promise<Record<string, number>> {
  const rows = await q.all<{ state: string; count: number }>(
    sql`select state, count(*) as count from source_states where hub = ${hub} group by state`,
  );
  return Object.fromEntries(rows.map(({ state, count }) => [state, count]));
}

export async function dropStates(tx: Tx, hub: string, source?: string): Promise<void> {
  await states.delete(
    tx,
    sql`where hub = ${hub} ${source === undefined ? sql.empty : sql`and source = ${source}`}`,
  );
}

/** Of hubs that have not been heard of since. */
export async function dropStatesBefore(tx: Tx, before: number): Promise<void> {
  await states.delete(tx, sql`where changed_at < ${before}`);
}

export async function stateRows(q: Query, since: number): Promise<StateRow[]> {
  return states.list(
    q,
    sql`
    where changed_at >= ${since}
    order by source, hub`,
  );
}
