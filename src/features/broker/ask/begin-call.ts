// How a governed call begins. One transaction counts it and spends what allows it, or asks: nothing is
// spent twice.
import type { Tx } from '../../../store/database.ts';
import type { JudgedCall } from '../judge/judge-call.ts';
import { requestApproval, type Terms } from './approvals.ts';
import { appendAudit, type AuditEntry } from '../tell/audit.ts';
import { blockedSummary, tellBlocked } from '../tell/blocked.ts';
import { denied, notApproved, reasonOf, type Refusal } from '../tell/refusals.ts';
import { type Approval, redeemOnce } from '../rows/approvals.ts';
import { takeGrant } from '../rows/grants.ts';
import { keysOf } from './offers.ts';
import { countUse, type UseSpan } from '../rows/usage.ts';

export type CallStart =
  | Readonly<{ kind: 'go'; approvalId?: string; grantId?: string }>
  | Readonly<{ kind: 'denied'; refusal: Refusal }>
  | Readonly<{ kind: 'wait'; approval: Approval }>;

const QUEUE_FULL = denied(
  'approval:queue-full',
  'Too many of your calls wait for a person already; wait for their answers.',
);

/**
 * One transaction settles how a call begins: its use is counted, a grant or an earlier approval is spent or a
 * request is made, and the `before` row says so. Nothing runs unless this is on disk.
 */
export async function beginCall(tx: Tx, call: JudgedCall, terms: Terms): Promise<CallStart> {
  const { verdict } = call;
  if (verdict.decision === 'deny') return block(tx, call, denied(verdict.reason, verdict.hint));
  const over = await countAgainstLimits(tx, call);
  if (over) return refuse(tx, call, { refusal: over });
  if (verdict.decision === 'allow') return go(tx, call, { reason: verdict.reason });
  const spent = await spend(tx, call);
  if (spent) return go(tx, call, spent);
  if (terms.unattended === 'deny')
    return block(tx, call, notApproved('unattended', { tool: call.tool.name }));
  const approval = await ask(tx, call, terms);
  if (!approval) return refuse(tx, call, { refusal: QUEUE_FULL });
  await appendAudit(tx, {
    ...opening(call),
    decision: 'require_approval',
    reason: verdict.reason,
    approvalId: approval.id,
  });
  return { kind: 'wait', approval };
}

export function ask(tx: Tx, call: JudgedCall, terms: Terms): Promise<Approval | undefined> {
  const { verdict, bond, caller, callId, taskId } = call;
  if (verdict.decision !== 'require_approval')
    throw new Error(`a call that is ${verdict.decision} needs no approval`);
  const { shape, exact, offers, approverSummary: argsSummary, message: reason } = verdict;
  const keys = { ...offers, key: shape.key, exact };
  const request = { bond, caller, callId, taskId, keys, shapeText: shape.text, argsSummary, reason };
  return requestApproval(tx, request, terms);
}

/**
 * A grant for this shape, or an `allow_once` that came after an identical call gave up. Spent by this call
 * alone.
 */
export async function spend(tx: Tx, call: JudgedCall): Promise<Spent | undefined> {
  const { bond, verdict } = call;
  const { principal, toolName } = bond;
  if (verdict.decision !== 'require_approval') return undefined;
  const grantId = await takeGrant(tx, {
    principal,
    toolName,
    shapes: [verdict.shape.key, verdict.exact, ...keysOf(verdict.offers)],
    credential: call.caller.credential,
    holder: call.caller.holder,
  });
  if (grantId !== undefined) return { reason: 'grant', grantId };
  const approvalId = await redeemOnce(tx, bond, call.callId);
  return approvalId === undefined ? undefined : { reason: 'approval:allow_once', approvalId };
}

type Spent = Readonly<{ reason: string; approvalId?: string; grantId?: string }>;

async function go(tx: Tx, call: JudgedCall, spent: Spent): Promise<CallStart> {
  await appendAudit(tx, { ...opening(call), decision: call.isRewritten ? 'rewrite' : 'allow', ...spent });
  return { kind: 'go', ...spent };
}

/** By a rule, an inspector, or because there is nobody to ask: a person hears of it. */
async function block(tx: Tx, call: JudgedCall, refusal: Refusal): Promise<CallStart> {
  tellBlocked(tx, call, reasonOf(refusal));
  return refuse(tx, call, { refusal, resultSummary: blockedSummary(call) });
}

async function refuse(
  tx: Tx,
  call: JudgedCall,
  { refusal, ...more }: Readonly<{ refusal: Refusal; resultSummary?: string }>,
): Promise<CallStart> {
  const end = { decision: 'deny', outcome: 'denied', isError: true } as const;
  await appendAudit(tx, { ...opening(call), ...end, reason: reasonOf(refusal), ...more });
  return { kind: 'denied', refusal };
}

function opening(call: JudgedCall): AuditEntry {
  const { caller, callId, tool, notes, auditSummary, bond } = call;
  return {
    caller,
    callId,
    toolName: tool.name,
    phase: 'before',
    argsSummary: auditSummary,
    argsHash: bond.argsHash,
    ...(notes.length > 0 && { resultSummary: JSON.stringify({ notes }) }),
  };
}

const WINDOWS = [
  { span: 'minute', limit: 'perMinute', code: 'rate' },
  { span: 'day', limit: 'perDay', code: 'budget' },
] as const satisfies readonly { span: UseSpan; limit: keyof JudgedCall['limits']; code: string }[];

async function countAgainstLimits(tx: Tx, call: JudgedCall): Promise<Refusal | undefined> {
  for (const { span, limit, code } of WINDOWS) {
    const most = call.limits[limit];
    if (most === undefined) continue;
    const calls = await countUse(tx, { principal: call.caller.principal, toolName: call.tool.name, span });
    if (calls > most)
      return denied(
        `${code}:${call.tool.name}:${most}/${span}`,
        `At most ${most} calls per ${span}; wait for the next one.`,
      );
  }
  return undefined;
}
