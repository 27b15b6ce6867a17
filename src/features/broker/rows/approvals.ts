// SQL of approvals. One statement spends an `allow_once`, so of two identical calls one gets it.
import type { Query, Tx } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';

export type Decision = 'allow_once' | 'allow_always' | 'deny';
type ApprovalStatus = 'pending' | Decision | 'expired';

export type Approval = Readonly<{
  id: string;
  toolName: string;
  principal: string;
  agentId: string | null;
  teamId: string | null;
  argsHash: string;
  argsSummary: string | null;
  /** The key of its shape and what else was offered (`offers.ts`): what a grant would be compared by. */
  shape: string;
  shapeText: string;
  credential: string;
  /** What its client calls itself, and where it works: the team of its project and the folder. */
  client: string | null;
  project: string | null;
  folder: string | null;
  /** The repository that a grant for it would hold in. */
  ground: string;
  /** Of a local seat, which client in which project may spend the answer; '' of a credential. */
  holder: string;
  reason: string | null;
  status: ApprovalStatus;
  taskId: string | null;
  tenantId: string | null;
  callId: string;
  createdAt: number;
  expiresAt: number;
  resolvedAt: number | null;
  resolvedBy: string | null;
  redeemUntil: number | null;
  redeemedByCall: string | null;
  grantId: string | null;
}>;

const columns =
  sql.raw(`id, tool_name as "toolName", principal, agent_id as "agentId", team_id as "teamId", args_hash as "argsHash",
  args_summary as "argsSummary", shape, shape_text as "shapeText", credential, client, project, folder, ground, holder, reason, status, task_id as "taskId", tenant_id as "tenantId", call_id as "callId",
  created_at as "createdAt", expires_at as "expiresAt", resolved_at as "resolvedAt", resolved_by as "resolvedBy",
  redeem_until as "redeemUntil", redeemed_by_call as "redeemedByCall", grant_id as "grantId"`);

/** What an approval is bound to: nothing else may spend it. */
export type Bond = Readonly<{ principal: string; toolName: string; argsHash: string; holder: string }>;

function isOf(bond: Bond): Sql {
  return sql`principal = ${bond.principal} and tool_name = ${bond.toolName} and args_hash = ${bond.argsHash}
      and holder = ${bond.holder}`;
}

export async function insertApproval(tx: Tx, approval: Approval): Promise<void> {
  await tx.run(sql`
    insert into tool_approvals (id, tool_name, principal, agent_id, team_id, args_hash, args_summary, shape, shape_text, credential,
      client, project, folder, ground, holder, reason, status, task_id, tenant_id, call_id, created_at, expires_at)
    values (${approval.id}, ${approval.toolName}, ${approval.principal}, ${approval.agentId}, ${approval.teamId},
      ${approval.argsHash}, ${approval.argsSummary}, ${approval.shape}, ${approval.shapeText}, ${approval.credential},
      ${approval.client}, ${approval.project}, ${approval.folder}, ${approval.ground}, ${approval.holder},
      ${approval.reason}, ${approval.status},
      ${approval.taskId}, ${approval.tenantId}, ${approval.callId}, ${approval.createdAt}, ${approval.expiresAt})`);
}

export async function approvalById(q: Query, id: string): Promise<Approval | undefined> {
  return q.get<Approval>(sql`select ${columns} from tool_approvals where id = ${id}`);
}

/** Held until the unit ends: whoever withdraws it at this moment comes before or after, never between. */
export async function lockApproval(tx: Tx, id: string): Promise<Approval | undefined> {
  return tx.get<Approval>(sql`
    select ${columns}
    from tool_approvals
    where id = ${id}
    ${tx.dialect.forUpdate}`);
}

/** By the end of its id, as people write it. Undefined when several end so. */
export async function approvalByEnd(q: Query, end: string): Promise<Approval | undefined> {
  const found = await q.all<Approval>(sql`
    select ${columns}
    from tool_approvals
    where id like ${`%${end}`}
    limit 2`);
  return found.length === 1 ? found[0] : undefined;
}

export async function pendingApproval(q: Query, bond: Bond, now: number): Promise<Approval | undefined> {
  return q.get<Approval>(sql`
    select ${columns}
    from tool_approvals
    where ${isOf(bond)}
      and status = 'pending' and expires_at > ${now}
    order by id desc
    limit 1`);
}

export async function countPending(q: Query, principal: string, now: number): Promise<number> {
  const row = await q.get<{ count: number }>(sql`
    select count(*) as count
    from tool_approvals
    where principal = ${principal} and status = 'pending' and expires_at > ${now}`);
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
  by: string;
  redeemUntil: number;
  grantId: string | null;
}>;

/**
 * Guarded by state and time: of two people who resolve at once one wins, and an expired row stays as it is.
 */
export async function resolvePending(tx: Tx, id: string, resolution: Resolution): Promise<boolean> {
  const changed = await tx.run(sql`
    update tool_approvals
    set status = ${resolution.status}, resolved_at = ${tx.now}, resolved_by = ${resolution.by},
        redeem_until = ${resolution.redeemUntil}, grant_id = ${resolution.grantId}
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
  return q.all<Approval>(sql`
    select ${columns}
    from tool_approvals
    where status = 'pending' and expires_at > ${now}
      and (cast(${page.before} as text) is null or id < ${page.before})
      ${page.team === undefined ? sql.empty : sql`and team_id = ${page.team}`}
    order by id desc
    limit ${page.limit}`);
}

export async function listLapsedApprovals(q: Query, now: number, limit: number): Promise<Approval[]> {
  return q.all<Approval>(sql`
    select ${columns}
    from tool_approvals
    where status = 'pending' and expires_at <= ${now}
    order by id
    limit ${limit}`);
}

/** Open requests of calls whose ids begin so. Ids are ordered bytes: what begins with a prefix lies between it and its successor. */
export async function listPendingOfCalls(q: Query, prefix: string): Promise<Approval[]> {
  const last = prefix.length - 1;
  const after = prefix.slice(0, last) + String.fromCharCode(prefix.charCodeAt(last) + 1);
  return q.all<Approval>(sql`
    select ${columns}
    from tool_approvals
    where status = 'pending' and call_id >= ${prefix} and call_id < ${after}`);
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
  return tx.run(sql`delete from tool_approvals where created_at < ${at} and status <> 'pending'`);
}
