// How a call that needs a person comes by an answer: from the queue, from the client's own user, or not in time.
import type { ToolContext } from '../../mcp/define.ts';
import { actorFor } from '../../store/acting.ts';
import type { Database } from '../../store/database.ts';
import { noteOfDecision, resolveApproval, type Terms } from './approvals.ts';
import { ask, spend } from './begin-call.ts';
import type { Expiring } from './expiring.ts';
import type { JudgedCall } from './judge-call.ts';
import { mayAnswerInPlace } from './may-decide.ts';
import type { ApprovalEnd } from './refusals.ts';
import type { Approval } from './rows/approvals.ts';
import { type AnsweredApproval, awaitDecision, elicitDecision } from './waiting.ts';

/** Why a call may not run, and what the person who refused it had to say. */
export type Unapproved = Readonly<{ end: ApprovalEnd; note?: string | undefined }>;

export interface Deciding {
  /** May the user of this client be asked in place? */
  canBeAsked(context: ToolContext): boolean;
  /** Undefined when the call may run, else why not. */
  decide(call: JudgedCall, first: Approval, context: ToolContext): Promise<Unapproved | undefined>;
}

type DecidingParts = Readonly<{ db: Database; terms: Terms; settling: AbortSignal; expiring: Expiring }>;

export function createDeciding({ db, terms, settling, expiring }: DecidingParts): Deciding {
  function canBeAsked({ can, who }: ToolContext): boolean {
    return terms.askClient && can.has('elicitation') && mayAnswerInPlace(who);
  }

  /**
   * Waits until the call may run, or says why it may not. Several identical calls may wait on one row: an
   * `allow_once` is spent by one of them, and the others ask again.
   */
  async function decide(
    call: JudgedCall,
    first: Approval,
    context: ToolContext,
  ): Promise<Unapproved | undefined> {
    const { who } = context;
    const until = db.elapsed() + terms.waitMs;
    let approval = first;
    for (;;) {
      expiring.watch(approval.expiresAt);
      const answered = await firstAnswer(approval, until, context);
      if ('end' in answered) return answered;
      if (answered.approval.status === 'deny')
        return { end: 'deny', note: await db.read((q) => noteOfDecision(q, answered.approval)) };
      const spent = await db.write(actorFor(who), (tx) => spend(tx, call));
      if (spent) return undefined;
      const again = await db.write(actorFor(who), (tx) => ask(tx, call, terms));
      if (!again) return { end: 'timeout' };
      approval = again;
    }
  }

  /** The queue and, where the client can be asked, its user: whoever decides first. */
  async function firstAnswer(
    approval: Approval,
    until: number,
    context: ToolContext,
  ): Promise<AnsweredApproval> {
    const settled = new AbortController();
    const patting = setInterval(tellWaiting(context, approval, until - db.elapsed()), PROGRESS_MS);
    const signal = AbortSignal.any([context.signal, settled.signal]);
    try {
      const queue = awaitDecision(approval, { db, until, signal, settling });
      return await (canBeAsked(context) ? Promise.race([queue, askUser(approval, context)]) : queue);
    } finally {
      clearInterval(patting);
      settled.abort();
    }
  }

  /** Never settles when the user put the question off: then the queue decides. */
  async function askUser(approval: Approval, context: ToolContext): Promise<{ approval: Approval }> {
    const decision = await elicitDecision(approval, context);
    if (decision === undefined) return new Promise<never>(() => undefined);
    const { who } = context;
    const resolve = { id: approval.id, decision, who, isInPlace: true };
    return { approval: await db.write(actorFor(who), (tx) => resolveApproval(tx, resolve, terms)) };
  }

  return { canBeAsked, decide };
}

const PROGRESS_MS = 10_000;

/**
 * Says at once that a person is awaited, who that is and for how long, and again now and then: an agent knows why nothing
 * happens, and clients that count progress as a sign of life do not give up.
 */
function tellWaiting(
  { progress, say }: ToolContext,
  { toolName, id, expiresAt, createdAt }: Approval,
  patienceMs: number,
): () => void {
  const seconds = Math.max(0, Math.round(Math.min(patienceMs, expiresAt - createdAt) / 1000));
  const message = `${toolName} waits up to ${seconds} s for the person who runs this hub to decide (approval ${id.slice(-8)})`;
  let done = 0;
  const tell = () => progress((done += 1), undefined, message);
  tell();
  // Only for who asked for details: a line of its own would turn the plain JSON that documented clients read into a stream.
  say('debug', { waitingFor: 'approval', approvalId: id, toolName, seconds, message }, 'approvals');
  return tell;
}
