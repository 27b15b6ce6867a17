import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';

/** A tool as it was last listed, and as it was approved. */
export type ToolRow = Readonly<{
  source: string;
  tool: string;
  hash: string;
  definition: string;
  approvedHash: string | null;
  approvedDefinition: string | null;
  approvedAt: number | null;
  approvedBy: string | null;
  rejectedHash: string | null;
  rejectedAt: number | null;
  rejectedBy: string | null;
  firstSeenAt: number;
  changedAt: number;
}>;

const columns =
  sql.raw(`source, tool, hash, definition, approved_hash as "approvedHash", approved_definition as "approvedDefinition",
  approved_at as "approvedAt", approved_by as "approvedBy", rejected_hash as "rejectedHash",
  rejected_at as "rejectedAt", rejected_by as "rejectedBy", first_seen_at as "firstSeenAt", changed_at as "changedAt"`);

export async function toolRows(q: Query, source: string): Promise<ToolRow[]> {
  return q.all<ToolRow>(sql`select ${columns} from source_tools where source = ${source} order by tool`);
}

export type Definition = Readonly<{ source: string; tool: string; hash: string; definition: string }>;

/** A definition seen for the first time, or another one under a known name. What was approved stays as it was. */
export async function recordDefinition(
  tx: Tx,
  { source, tool, hash, definition }: Definition,
): Promise<void> {
  await tx.run(sql`
    insert into source_tools (source, tool, hash, definition, first_seen_at, changed_at)
    values (${source}, ${tool}, ${hash}, ${definition}, ${tx.now}, ${tx.now})
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
  await tx.run(sql`
    update source_tools
    set rejected_hash = null, rejected_at = null, rejected_by = null
    where source = ${source} and tool = ${tool} and hash = ${hash} and rejected_hash = hash`);
}

export async function dropTools(tx: Tx, source: string): Promise<void> {
  await tx.run(sql`delete from source_tools where source = ${source}`);
}

/** What one hub runs. */
export type StateRow = Readonly<{
  hub: string;
  source: string;
  state: string;
  reason: string | null;
  pid: number | null;
  tools: number;
  changedAt: number;
}>;

export async function recordState(tx: Tx, row: Omit<StateRow, 'changedAt'>): Promise<void> {
  await tx.run(sql`
    insert into source_states (hub, source, state, reason, pid, tools, changed_at)
    values (${row.hub}, ${row.source}, ${row.state}, ${row.reason}, ${row.pid}, ${row.tools}, ${tx.now})
    on conflict (hub, source) do update
    set state = excluded.state, reason = excluded.reason, pid = excluded.pid, tools = excluded.tools, changed_at = excluded.changed_at`);
}

export async function dropStates(tx: Tx, hub: string, source?: string): Promise<void> {
  await tx.run(sql`
    delete from source_states
    where hub = ${hub}
      ${source === undefined ? sql.empty : sql`and source = ${source}`}`);
}

/** Of hubs that have not been heard of since. */
export async function dropStatesBefore(tx: Tx, before: number): Promise<void> {
  await tx.run(sql`delete from source_states where changed_at < ${before}`);
}

export async function stateRows(q: Query, since: number): Promise<StateRow[]> {
  return q.all<StateRow>(sql`
    select hub, source, state, reason, pid, tools, changed_at as "changedAt"
    from source_states
    where changed_at >= ${since}
    order by source, hub`);
}
