import { HubError } from '../../kernel/errors.ts';
import type { Reply } from '../../mcp/ask.ts';
import type { ToolContext } from '../../mcp/define.ts';
import type { Database } from '../../store/database.ts';
import { readApproval } from './approvals.ts';
import { askerWords } from './grants.ts';
import type { ApprovalEnd } from './refusals.ts';
import type { Approval } from './rows/approvals.ts';

/** A decision, or why there is none. */
export type AnsweredApproval =
  | Readonly<{ approval: Approval }>
  | Readonly<{ end: Exclude<ApprovalEnd, 'unattended' | 'deny'> }>;

export type Patience = Readonly<{
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
export async function awaitDecision(
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

const DECISIONS = ['allow_once', 'allow_always', 'deny'] as const;

/**
 * Puts the request to the user of a client that can be asked. Undefined when the user put it off or the
 * client could not be reached: then the queue decides. In the 2026-07-28 era this ends the call, which comes
 * again.
 */
export async function elicitDecision(
  approval: Approval,
  context: ToolContext,
): Promise<(typeof DECISIONS)[number] | undefined> {
  let replies: Awaited<ReturnType<ToolContext['ask']>>;
  try {
    replies = await context.ask({ [`approval-${approval.id}`]: approvalQuestion(approval) });
  } catch (error) {
    if (error instanceof HubError) return undefined;
    throw error;
  }
  return decisionIn(replies[`approval-${approval.id}`]);
}

/** What a user decided in a form; undefined when it was put off. */
export function decisionIn(reply: Reply | undefined): (typeof DECISIONS)[number] | undefined {
  if (reply?.['action'] === 'decline') return 'deny';
  if (reply?.['action'] !== 'accept') return undefined;
  const { decision } = (reply['content'] ?? {}) as { decision?: unknown };
  return DECISIONS.find((known) => known === decision);
}

/** The request as a form for the user of a client. */
export function approvalQuestion(approval: Approval) {
  const { toolName, argsSummary, reason, folder } = approval;
  const where = folder === null ? '' : ` in ${folder}`;
  return {
    method: 'elicitation/create',
    params: {
      message: `${reason ?? `${toolName} needs approval`}.\n${toolName} ${argsSummary ?? ''}${where}\n"allow_always" would allow exactly this to ${askerWords(approval)}, for 30 days.`,
      requestedSchema: {
        type: 'object',
        properties: { decision: { type: 'string', title: 'Decision', enum: [...DECISIONS] } },
        required: ['decision'],
      },
    },
  } as const;
}
