// SQL of approvals. One statement spends an `allow_once`, so of two identical calls one gets it.
import type { Query, Tx } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import { number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';

export type Decision = 'allow_once' | 'allow_always' | 'deny';
type ApprovalStatus = 'pending' | Decision | 'expired';

const approvals = table('tool_approvals', {
  id: text(),
  toolName: text(),
  principal: text(),
  agentId: textOrNull(),
  teamId: textOrNull(),
  argsHash: text(),
  argsSummary: textOrNull(),
  /** The key of its shape and what else was offered (`offers.ts`): what a grant would be compared by. */
  shape: text(),
  shapeText: text(),
  credential: text(),
  /** What its client calls itself, and where it works: the team of its project and the folder. */
  client: textOrNull(),
  project: textOrNull(),
  folder: textOrNull(),
  /** The repository that a grant for it would hold in. */
  ground: text(),
  /** Of a local seat, which client in which project may spend the answer; '' of a credential. */
  holder: text(),
  reason: textOrNull(),
  status: text<ApprovalStatus>(),
  taskId: textOrNull(),
  tenantId: textOrNull(),
  callId: text(),
  createdAt: number(),
  expiresAt: number(),
  resolvedAt: numberOrNull(),
  resolvedBy: textOrNull(),
  redeemUntil: numberOrNull(),
  redeemedByCall: textOrNull(),
  grantId: textOrNull(),
});
export type Approval = Readonly<RecordOf<typeof approvals.fields>>;

/** What an approval is bound to: nothing else may spend it. */
export type Bond = Readonly<{ principal: string; toolName: string; argsHash: string; holder: string }>;

function isOf(bond: Bond): Sql {
  return sql`principal = ${bond.principal} and tool_name = ${bond.toolName} and args_hash = ${bond.argsHash}
      and holder = ${bond.holder}`;
}

export const insertApproval = approvals.insert;

export async function approvalById(q: Query, id: string): Promise<Approval | undefined> {
  return approvals.find(q, sql`where id = ${id}`);
}

/** Held until the unit ends: whoever withdraws it at this moment comes before or after, never between. */
export async function lockApproval(tx: Tx, id: string): Promise<Approval | undefined> {
  return approvals.find(tx, sql`where id = ${id} ${tx.dialect.forUpdate}`);
}

/** By the end of its id, as people write it. Undefined when several end so. */
export async function approvalByEnd(q: Query, end: string): Promise<Approval | undefined> {
  const found = await approvals.list(q, sql`where id like ${`%${end}`} limit 2`);
  return found.length === 1 ? found[0] : undefined;
}

export async function pendingApproval(q: Query, bond: Bond, now: number): Promise<Approval | undefined> {
  return approvals.find(
    q,
    sql`
    where ${isOf(bond)}
      and status = 'pending' and expires_at > ${now}
    order by id desc
    limit 1`,
  );
}

/** Open requests, of one caller, of one team or of all. */
export async function countPending(
  q: Query,
  { now, principal, team }: Readonly<{ now: number; principal?: string; team?: string | undefined }>,
): Promise<number> {
  const row = await q.get<{ count: number }>(sql`
    select count(*) as count
    from tool_approvals
    where status = 'pending' and expires_at > ${now}
      ${principal === undefined ? sql.empty : sql`and principal = ${principal}`}
      ${team === undefined ? sql.empty : sql`and team_id = ${team}`}`);
  return row!.count;
}

/** One statement takes an unspent `allow_once`, so that of two identical calls exactly one gets it. */
export async function redeemOnce(tx: Tx, bond: Bond, callId: string): Promise<string | undefined> {
  const row = await tx.get<{ id: string }>(sql`
    update tool_approvals
    set redeemed_by_call = ${callId}
    where id = (
        select id
        from tool_approvals
        where ${isOf(bond)}
          and status = 'allow_once' and redeemed_by_call is null and redeem_until > ${tx.now}
        order by id
        limit 1
      )
      and redeemed_by_call is null
    returning id`);
  return row?.id;
}

export type Resolution = Readonly<{
  status: Decision;
  resolvedBy: string;
  redeemUntil: number;
  grantId: string | null;
}>;

/**
 * Guarded by state and time: of two people who resolve at once one wins, and an expired row stays as it is.
 */
export async function resolvePending(tx: Tx, id: string, resolution: Resolution): Promise<boolean> {
  const changed = await tx.run(sql`
    update tool_approvals
    set ${approvals.assign({ ...resolution, resolvedAt: tx.now })}
    where id = ${id} and status = 'pending' and expires_at > ${tx.now}`);
  return changed === 1;
}

/**
 * Newest first; ids are made in order of time, so they are the key to page by. `team`: the only one that is
 * shown.
 */
export async function listPendingApprovals(
  q: Query,
  now: number,
  page: { before: string | null; limit: number; team: string | undefined },
): Promise<Approval[]> {
  return approvals.list(
    q,
    sql`
    where status = 'pending' and expires_at > ${now}
      and (cast(${page.before} as text) is null or id < ${page.before})
      ${page.team === undefined ? sql.empty : sql`and team_id = ${page.team}`}
    order by id desc
    limit ${page.limit}`,
  );
}

export async function listLapsedApprovals(q: Query, now: number, limit: number): Promise<Approval[]> {
  return approvals.list(
    q,
    sql`
    where status = 'pending' and expires_at <= ${now}
    order by id
    limit ${limit}`,
  );
}

/** Open requests of calls whose ids begin so. Ids are ordered bytes: what begins with a prefix lies between it and its successor. */
export async function listPendingOfCalls(q: Query, prefix: string): Promise<Approval[]> {
  const last = prefix.length - 1;
  const after = prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
  return approvals.list(
    q,
    sql`
    where status = 'pending' and call_id >= ${prefix} and call_id < ${after}`,
  );
}

/** False when it was decided or expired meanwhile. */
export async function markExpired(tx: Tx, id: string): Promise<boolean> {
  const changed = await tx.run(sql`
    update tool_approvals
    set status = 'expired'
    where id = ${id} and status = 'pending'`);
  return changed === 1;
}

/** When the first of the open requests runs out. */
export async function soonestExpiry(q: Query): Promise<number | undefined> {
  const row = await q.get<{ at: number | null }>(sql`
    select min(expires_at) as at
    from tool_approvals
    where status = 'pending'`);
  return row?.at ?? undefined;
}

export async function dropApprovalsBefore(tx: Tx, at: number): Promise<number> {
  return approvals.delete(tx, sql`where created_at < ${at} and status <> 'pending'`);
}

/** What these asked for and still waits, and what was decided since. */
export function approvalsOfAgents(
  q: Query,
  {
    agents,
    since,
    now,
    most,
  }: Readonly<{ agents: readonly string[]; since: number; now: number; most: number }>,
): Promise<Approval[]> {
  return approvals.list(
    q,
    sql`
    where agent_id in ${sql.in(agents)}
      and ((status = 'pending' and expires_at > ${now})
        or (status in ('allow_once', 'allow_always', 'deny') and resolved_at > ${since}))
    order by id desc
    limit ${most}`,
  );
}
