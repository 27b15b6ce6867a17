// The last step of a call: how it ended, in the audit and to its caller.
import type { Log } from '../../../kernel/log.ts';
import type { Principal } from '../../../kernel/principal.ts';
import { digestOfSeat } from '../../../kernel/seat.ts';
import type { ToolContext, ToolResult } from '../../../mcp/define.ts';
import { InputRequired } from '../../../mcp/engine/rounds.ts';
import { actorFor } from '../../../store/calls.ts';
import type { Database, Tx } from '../../../store/database.ts';
import type { Workplace } from '../../projects/projects.ts';
import type { Unapproved } from '../ask/answers.ts';
import { fingerprint } from '../ask/fingerprint.ts';
import { toolCallerOf, NOWHERE } from '../caller.ts';
import type { JudgedCall } from '../judge/judge-call.ts';
import { shapeProblem } from '../judge/shape-guard.ts';
import { type Executed, finishAnswer } from '../run/answer.ts';
import type { HiddenValues } from '../run/hidden-values.ts';
import type { Leftovers } from '../run/leftovers.ts';
import { appendAudit, type AuditEntry, type CallOutcome } from './audit.ts';
import { blockedSummary, tellBlocked } from './blocked.ts';
import { notApproved, reasonOf, type Refusal } from './refusals.ts';
import { AUDIT_SUMMARY, summarise, summariseArgs } from './summary.ts';

export type RecordParts = Readonly<{
  db: Database;
  log: Log;
  hidden: HiddenValues;
  leftovers: Leftovers;
  workplaceOf(who: Principal): Promise<Workplace>;
}>;

/** The end of one call. Exactly one of these is written. */
export interface CallRecord {
  /** It ended so that its client could put a question to its user. */
  asked(reason: string): Promise<void>;
  /** It ran and asked its client first, or failed as the protocol does. */
  unanswered(thrown: unknown): Promise<void>;
  unapproved(unapproved: Unapproved): Promise<Refusal>;
  /** It was forbidden while a person decided: others hear of it. */
  blocked(refusal: Refusal): Promise<Refusal>;
  finished(executed: Executed): Promise<ToolResult<unknown>>;
}

type RefusedCase = Readonly<{ toolName: string; args: unknown; refusal: Refusal }>;

export function createRecords({ db, log, hidden, leftovers, workplaceOf }: RecordParts) {
  /** For calls that never become a case: unknown, hidden, disabled, forbidden or malformed. */
  async function refused({ toolName, args, refusal }: RefusedCase, context: ToolContext): Promise<Refusal> {
    const { who, callId } = context;
    const hide = await hidden.current();
    const place = await workplaceOf(who).catch(() => NOWHERE);
    const summary = shapeProblem(args) === undefined ? args : { omitted: 'arguments of an impossible shape' };
    await db.write(actorFor(who), (tx) =>
      appendAudit(tx, {
        callId,
        toolName,
        caller: toolCallerOf(who, place),
        phase: 'before',
        decision: 'deny',
        reason: reasonOf(refusal),
        outcome: 'denied',
        argsSummary: hide(summariseArgs(summary, AUDIT_SUMMARY)),
        ...(summary === args && { argsHash: fingerprint(args) }),
        isError: true,
      }),
    );
    return refusal;
  }

  function recordOf(call: JudgedCall, { who }: ToolContext, startedAt: number): CallRecord {
    const actor = actorFor(who);

    /** The unit that writes the end down. */
    function ending(entry: Ending): (tx: Tx) => Promise<unknown> {
      const { callId, caller, tool, bond } = call;
      const row: AuditEntry = {
        ...entry,
        callId,
        caller,
        toolName: tool.name,
        argsHash: bond.argsHash,
        phase: 'after',
        durationMs: Math.round(performance.now() - startedAt),
        seat: who.seat === '' ? undefined : digestOfSeat(who.seat),
      };
      return (tx) => appendAudit(tx, row);
    }

    const note = (entry: Ending) => db.write(actor, ending(entry));

    return {
      async asked(reason) {
        await note({ outcome: 'asked', reason });
      },
      async unanswered(thrown) {
        if (thrown instanceof InputRequired) await note({ outcome: 'asked', reason: 'input:asked' });
        else await note({ outcome: 'error', reason: 'protocol', isError: true });
      },
      async unapproved({ end, note: word, openMs }) {
        const outcome: CallOutcome =
          end === 'deny' ? 'denied' : end === 'pending' ? 'timeout' : (end as CallOutcome);
        await note({ outcome, reason: `approval:${end}`, isError: true });
        return notApproved(end, { tool: call.tool.name, note: word, openMs });
      },
      async blocked(refusal) {
        const reason = reasonOf(refusal);
        const end = ending({ outcome: 'denied', reason, isError: true, resultSummary: blockedSummary(call) });
        await db.write(actor, (tx) => (tellBlocked(tx, call, reason), end(tx)));
        return refusal;
      },
      async finished({ result: answered, outcome }) {
        const { result, summary } = finishAnswer(call.tool, answered, {
          keep: (rest) => leftovers.keep(call.caller.principal, rest),
          hide: await hidden.current(),
        });
        const isPlain = isPlainRead(call);
        const write = isPlain ? db.writeSoon : db.write;
        const resultSummary = summarise(summary, AUDIT_SUMMARY);
        const noted = write(actor, ending({ outcome, isError: !result.ok, resultSummary })).catch((error) => {
          // The world has changed already: an answer without its row is better than no answer.
          log.error('the end of a tool call could not be written to the audit', {
            callId: call.callId,
            tool: call.tool.name,
            error,
          });
        });
        if (!isPlain) await noted;
        const notes = call.notes.length > 0 ? { notes: call.notes } : {};
        return { ...result, meta: { ...result.meta, ...notes, callId: call.callId } };
      },
    };
  }

  return { refused, of: recordOf };
}

type Ending = Pick<AuditEntry, 'outcome' | 'reason' | 'isError' | 'resultSummary'>;

/**
 * A call that changes nothing and that nobody had to be asked for is answered while its end is being written: what it
 * did is on disk before it runs, with its arguments, like that of every call. An end that a crash took away reads as
 * unknown, as after a crash in the middle of the call.
 */
function isPlainRead({ tool, verdict }: JudgedCall): boolean {
  return tool.annotations.readOnlyHint && verdict.decision === 'allow';
}
