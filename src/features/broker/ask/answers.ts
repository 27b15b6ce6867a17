// How a call that needs a person comes by an answer: from the queue, from the client's own user, or not in time.
import { HubError } from '../../../kernel/errors.ts';
import type { ToolContext } from '../../../mcp/define.ts';
import { actorFor } from '../../../store/calls.ts';
import type { Database } from '../../../store/database.ts';
import { noteOfDecision, readApproval, resolveApproval, type Terms } from './approvals.ts';
import { ask, beginCall, type CallStart, spend } from './begin-call.ts';
import type { Expiry } from './expiry.ts';
import type { JudgedCall } from '../judge/judge-call.ts';
import { mayAnswerInPlace } from './deciders.ts';
import type { ApprovalEnd } from '../tell/refusals.ts';
import type { Approval } from '../rows/approvals.ts';
import { elicitDecision } from './questions.ts';

/** Why a call may not run, and what the person who refused it had to say. */
export type Unapproved = Readonly<{
  end: ApprovalEnd;
  note?: string | undefined;
  /** For how long a person can still answer. */
  openMs?: number | undefined;
}>;

export interface ApprovalAnswers {
  /** Counts the call and spends what allows it, or makes its request: nothing runs before that is on disk. */
  begin(call: JudgedCall, context: ToolContext): Promise<CallStart>;
  /** Waits for what was requested. Undefined when the call may run, else why not. */
  await(call: JudgedCall, first: Approval, context: ToolContext): Promise<Unapproved | undefined>;
}

export type AnswersParts = Readonly<{
  db: Database;
  terms: Terms;
  /** Aborts when the hub is about to close. */
  settling: AbortSignal;
  expiry: Expiry;
}>;

export function createAnswers({ db, terms, settling, expiry }: AnswersParts): ApprovalAnswers {
  /** May the user of this client be asked in place? */
  function canBeAsked({ can, who }: ToolContext): boolean {
    return terms.askClient && can.has('elicitation') && mayAnswerInPlace(who);
  }

  /**
   * Waits until the call may run, or says why it may not. Several identical calls may wait on one row: an
   * `allow_once` is spent by one of them, and the others ask again.
   */
  async function untilDecided(
    call: JudgedCall,
    first: Approval,
    context: ToolContext,
  ): Promise<Unapproved | undefined> {
    const { who } = context;
    // Who hears that a person is awaited can wait for as long as one may answer.
    const patienceMs = context.isFollowed ? Math.max(terms.waitMs, terms.lifeMs) : terms.waitMs;
    const until = db.elapsed() + patienceMs;
    let approval = first;
    for (;;) {
      expiry.watch(approval.expiresAt);
      const answered = await firstAnswer(approval, until, context);
      if ('end' in answered)
        return answered.end === 'expired' ? answered : { ...answered, openMs: approval.expiresAt - db.now() };
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

  return {
    begin(call, context) {
      const now = canBeAsked(context) ? { ...terms, unattended: 'wait' as const } : terms;
      return db.write(actorFor(context.who), (tx) => beginCall(tx, call, now));
    },
    await: untilDecided,
  };
}

/** A decision, or why there is none. */
type AnsweredApproval =
  | Readonly<{ approval: Approval }>
  | Readonly<{ end: Exclude<ApprovalEnd, 'unattended' | 'deny'> }>;

type Patience = Readonly<{
  db: Database;
  /** By what has passed, like every patience. */
  until: number;
  signal: AbortSignal;
  /** Aborts when the hub is about to close: then the caller is told to come again. */
  settling: AbortSignal;
}>;

/**
 * Sleeps on the feed, outside any transaction, until the row is decided, lapses, or the caller's patience
 * ends.
 */
async function awaitDecision(
  approval: Approval,
  { db, until, signal, settling }: Patience,
): Promise<AnsweredApproval> {
  const patience = new AbortController();
  // What ends first is known now: a timer may wake a moment before the clock agrees.
  const [patient, open] = [until - db.elapsed(), approval.expiresAt - db.now()];
  const inVain = open <= patient ? 'expired' : 'timeout';
  const timer = setTimeout(() => patience.abort(), Math.max(0, Math.min(patient, open)));
  try {
    const decided = await db.feed.until(
      approval.id,
      async (): Promise<AnsweredApproval | undefined> => {
        const row = await db.read((q) => readApproval(q, approval.id, db.now()));
        if (!row) return { end: 'timeout' };
        return row.status === 'pending' ? undefined : { approval: row };
      },
      AbortSignal.any([signal, settling, patience.signal]),
    );
    return 'approval' in decided && decided.approval.status === 'expired' ? { end: 'expired' } : decided;
  } catch (error) {
    if (settling.aborted) return { end: 'pending' };
    if (signal.aborted) return { end: 'cancelled' };
    if (patience.signal.aborted) return { end: inVain };
    if (error instanceof HubError && error.code === 'unavailable') return { end: 'pending' };
    throw error;
  } finally {
    clearTimeout(timer);
  }
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
