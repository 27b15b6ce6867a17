// Approvals: asked for, resolved, expired. An answer holds for one caller, one tool and one hash of
// arguments.
import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { redact } from '../../../kernel/redact.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { type Principal, systemPrincipal } from '../../../kernel/principal.ts';
import { appendAudit } from '../tell/audit.ts';
import { toolCallerOf, nameOf, type ToolCaller } from '../caller.ts';
import { type Covers, grantFrom, holderWords, type Wider } from './grants.ts';
import { maskEnds } from '../tell/masks.ts';
import { mayAnswerInPlace } from './deciders.ts';
import { decisionOn } from '../rows/audit.ts';
import { type StoredKeys, writeOffers } from './offers.ts';
import {
  type Approval,
  approvalByEnd,
  approvalById,
  lockApproval,
  type Bond,
  countPending,
  type Decision,
  insertApproval,
  listLapsedApprovals,
  listPendingOfCalls,
  markExpired,
  pendingApproval,
  resolvePending,
} from '../rows/approvals.ts';

export type Terms = Readonly<{
  /** How long a row can be resolved, and an `allow_once` be redeemed after that. */
  lifeMs: number;
  /** How long a call waits for it. */
  waitMs: number;
  /** `deny`: nobody is expected to answer, so a gated call is refused at once. */
  unattended: 'wait' | 'deny';
  /** May a client that supports elicitation put the request to its own user? */
  askClient: boolean;
}>;

export type ApprovalRequest = Readonly<{
  bond: Bond;
  caller: ToolCaller;
  callId: string;
  taskId: string | null;
  argsSummary: string;
  /** What a grant for it would be compared by, and what of it is shown. */
  keys: StoredKeys;
  shapeText: string;
  reason: string;
}>;

/** How long a grant holds unless whoever decides says otherwise. */
const GRANT_LIFE_MS = 30 * 86_400_000;
/** Open requests of one caller; who asks for more is told to wait for an answer first. */
const MOST_PENDING = 100;

/**
 * The pending row of this very request: the one an identical call left behind, else a new one. Callers that
 * retry do not fill the queue, and whoever resolves the row serves the retry too. Undefined when this caller
 * has more open requests than a person would read.
 */
export async function requestApproval(
  tx: Tx,
  request: ApprovalRequest,
  terms: Terms,
): Promise<Approval | undefined> {
  const { bond, caller } = request;
  await tx.lock(`approval:${bond.principal}:${bond.holder}:${bond.toolName}:${bond.argsHash}`);
  const waiting = await pendingApproval(tx, bond, tx.now);
  if (waiting) return waiting;
  if ((await countPending(tx, { principal: bond.principal, now: tx.now })) >= MOST_PENDING) return undefined;
  const approval: Approval = {
    id: newId(),
    ...bond,
    agentId: caller.name,
    teamId: caller.teamId,
    tenantId: caller.tenantId,
    taskId: request.taskId,
    argsSummary: request.argsSummary,
    shape: writeOffers(request.keys),
    shapeText: request.shapeText,
    credential: caller.credential,
    client: caller.client,
    project: caller.project,
    folder: caller.folder,
    ground: caller.holder.ground,
    reason: request.reason,
    status: 'pending',
    callId: request.callId,
    createdAt: tx.now,
    expiresAt: tx.now + terms.lifeMs,
    resolvedAt: null,
    resolvedBy: null,
    redeemUntil: null,
    redeemedByCall: null,
    grantId: null,
  };
  await insertApproval(tx, approval);
  // Who asks and for which tool, and nothing of what for: rooms are read by others than those who decide.
  emitAbout(tx, approval, {
    kind: 'approval.requested',
    ...(caller.toldIn !== null && { toldIn: caller.toldIn }),
  });
  return approval;
}

export type Resolve = Readonly<{
  id: string;
  decision: Decision;
  /** Who decides. */
  who: Principal;
  /** The caller's own client put the question to its user: a person answers, not the caller. */
  isInPlace?: boolean;
  /** The only team whose requests its caller sees. */
  team?: string | undefined;
  grantTtlMs?: number | undefined;
  covers?: Covers | undefined;
  /** Beyond the client and the project that asked, each by its name; nothing unless given. */
  wider?: readonly Wider[] | undefined;
  /** A word of whoever decides; after a no the caller is told it. */
  note?: string | undefined;
}>;

/**
 * Answers the row as it now is: the caller's decision if it came first and in time, else what was there
 * before. The lock makes two people who resolve at once take turns, so that a grant is made once or not at
 * all.
 */
export async function resolveApproval(tx: Tx, resolve: Resolve, terms: Terms): Promise<Approval> {
  await tx.lock(`approval:${resolve.id}`);
  const approval = await lockApproval(tx, resolve.id);
  if (!approval || (resolve.team !== undefined && approval.teamId !== resolve.team)) {
    throw new HubError('not_found', 'approval not found', { id: resolve.id });
  }
  if (isOwnCall(approval, resolve)) throw ownCall(approval);
  if (statusAt(approval, tx.now) !== 'pending') return shown(approval, tx.now);
  const by = resolve.isInPlace ? `user of ${nameOf(resolve.who)}` : nameOf(resolve.who);
  const expiresAt = tx.now + (resolve.grantTtlMs ?? GRANT_LIFE_MS);
  const grant =
    resolve.decision === 'allow_always'
      ? await grantFrom(tx, approval, {
          by,
          expiresAt,
          covers: resolve.covers ?? 'exact',
          wider: resolve.wider ?? [],
          isPerson: mayAnswerInPlace(resolve.who),
        })
      : undefined;
  const note = resolve.note === undefined ? undefined : redact(resolve.note);
  await resolvePending(tx, resolve.id, {
    status: resolve.decision,
    resolvedBy: by,
    redeemUntil: tx.now + terms.lifeMs,
    grantId: grant?.id ?? null,
  });
  emitAbout(tx, approval, { kind: 'approval.resolved', decision: resolve.decision });
  await appendAudit(tx, {
    callId: approval.callId,
    toolName: approval.toolName,
    // In the team of the call, so that whoever sees the call sees who decided about it.
    caller: { ...toolCallerOf(resolve.who), ...whereOf(approval) },
    phase: 'decision',
    decision: resolve.decision,
    reason: `approval:${resolve.decision}`,
    argsHash: approval.argsHash,
    approvalId: approval.id,
    resultSummary: JSON.stringify({
      by,
      for: approval.principal,
      ...(grant && {
        allows: maskEnds(grant.shapeText),
        holds: holderWords(grant),
        until: grant.expiresAt,
      }),
      ...(note !== undefined && { note }),
    }),
    ...(grant && { grantId: grant.id }),
  });
  return (await approvalById(tx, resolve.id))!;
}

function whereOf({ teamId, project, folder }: Approval): Pick<Approval, 'teamId' | 'project' | 'folder'> {
  return { teamId, project, folder };
}

/** By name and by credential: an agent that comes back under another binding is still the one that asked. */
function isOwnCall(approval: Approval, { who, isInPlace }: Resolve): boolean {
  if (isInPlace) return !mayAnswerInPlace(who);
  const { principal, agentId } = toolCallerOf(who);
  const isAgent = !mayAnswerInPlace(who) || who.bound.agent !== undefined;
  return isAgent && (principal === approval.principal || (agentId !== null && agentId === approval.agentId));
}

function ownCall(approval: Approval): HubError {
  return new HubError('forbidden', `${approval.agentId ?? 'A caller'} cannot approve its own call.`, {
    hint: 'A person or another agent has to decide.',
  });
}

/** Expiry is decided when reading; the sweep only writes it down. */
function statusAt(approval: Approval, now: number): Approval['status'] {
  return approval.status === 'pending' && approval.expiresAt <= now ? 'expired' : approval.status;
}

function shown(approval: Approval, now: number): Approval {
  return { ...approval, status: statusAt(approval, now) };
}

export async function readApproval(q: Query, id: string, now: number): Promise<Approval | undefined> {
  const approval = await approvalById(q, id);
  return approval && shown(approval, now);
}

/** By its id or the eight characters it ends in. `team`: the only one whose requests its caller sees. */
export async function findApproval(
  q: Query,
  { id, team, now }: Readonly<{ id: string; team: string | undefined; now: number }>,
): Promise<Approval> {
  const found = /^[0-9a-f]{8}$/.test(id) ? await approvalByEnd(q, id) : await approvalById(q, id);
  if (!found || (team !== undefined && found.teamId !== team))
    throw new HubError('not_found', 'approval not found', { id });
  return shown(found, now);
}

/** What was said with a decision. It stands in the audit and nowhere else. */
export async function noteOfDecision(
  q: Query,
  { id, callId }: Pick<Approval, 'id' | 'callId'>,
): Promise<string | undefined> {
  const said = (await decisionOn(q, callId, id))?.resultSummary;
  const { note } = JSON.parse(said ?? '{}') as { note?: unknown };
  return typeof note === 'string' ? note : undefined;
}

export async function sweepApprovals(tx: Tx, limit = 200): Promise<number> {
  const lapsed = await listLapsedApprovals(tx, tx.now, limit);
  for (const approval of lapsed) {
    // Hubs that share a database may sweep at once: one of them tells.
    if (!(await markExpired(tx, approval.id))) continue;
    await appendAudit(tx, {
      callId: approval.callId,
      toolName: approval.toolName,
      caller: { ...toolCallerOf(systemPrincipal), ...whereOf(approval) },
      phase: 'decision',
      decision: 'expire',
      reason: 'approval:expired',
      argsHash: approval.argsHash,
      approvalId: approval.id,
      resultSummary: JSON.stringify({ for: approval.principal }),
    });
    emitAbout(tx, approval, { kind: 'approval.expired' });
  }
  return lapsed.length;
}

/** The calls are over before anybody answered: nothing is left to decide. */
export async function withdrawApprovals(tx: Tx, callPrefix: string): Promise<number> {
  const open = await listPendingOfCalls(tx, callPrefix);
  for (const approval of open) {
    if (!(await markExpired(tx, approval.id))) continue;
    emitAbout(tx, approval, { kind: 'approval.expired' });
  }
  return open.length;
}

function emitAbout(
  tx: Tx,
  approval: Approval,
  { kind, ...more }: Readonly<{ kind: string } & Record<string, string>>,
): void {
  tx.emit({
    kind,
    subject: approval.id,
    realm: 'hub',
    ...(approval.teamId !== null && { team: approval.teamId }),
    data: { tool: approval.toolName, agentId: approval.agentId ?? approval.principal, ...more },
  });
}
