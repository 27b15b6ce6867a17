// The steps of every governed call, in order. No step can be left out, and every end is written into the
// audit.
import type { Log } from '../../kernel/log.ts';
import { redact } from '../../kernel/redact.ts';
import { digestOfSeat } from '../../kernel/seat.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { ToolContext, ToolResult } from '../../mcp/define.ts';
import { InputRequired } from '../../mcp/engine/rounds.ts';
import { parseArguments } from '../../mcp/validate.ts';
import type { Database, Tx } from '../../store/database.ts';
import type { Workplace } from '../projects/projects.ts';
import { beginCall } from './begin-call.ts';
import { createDeciding, type Unapproved } from './deciding.ts';
import { type JudgedCall, judgeCall } from './judge-call.ts';
import { finishAnswer } from './answer.ts';
import type { Terms } from './approvals.ts';
import { appendAudit, type AuditEntry, type CallOutcome } from './audit.ts';
import type { Availability } from './availability.ts';
import { blockedSummary, tellBlocked } from './blocked.ts';
import { actorFor } from '../../store/acting.ts';
import { callerOf, NOWHERE } from './caller.ts';
import { execute, type Executed, foresee } from './execute.ts';
import type { Expiring } from './expiring.ts';
import { findFacts } from './facts.ts';
import { fingerprint } from './fingerprint.ts';
import type { Args } from './inspectors/inspector.ts';
import type { HiddenValues, Hide } from './hidden-values.ts';
import type { Leftovers } from './leftovers.ts';
import type { PolicyFile } from './policy/file.ts';
import { denied, failedCall, notApproved, type Refusal } from './refusals.ts';
import type { Approval } from './rows/approvals.ts';
import type { GrantShape } from './shape.ts';
import { shapeProblem } from './shape-guard.ts';
import { AUDIT_SUMMARY, summarise, summariseArgs } from './summary.ts';
import type { WorldContext, WorldTool } from './world-tool.ts';

export type FunnelParts = Readonly<{
  db: Database;
  log: Log;
  policy: PolicyFile;
  terms: Terms;
  leftovers: Leftovers;
  hidden: HiddenValues;
  /** Aborts when the hub is about to close. */
  settling: AbortSignal;
  expiring: Expiring;
  isEnabled(name: string): boolean;
  heldTasks(who: Principal): Promise<readonly string[]>;
  /** Where a caller works; throws where its folder is gone. */
  placeOf(who: Principal): Promise<Workplace>;
  availabilityOf(tool: WorldTool): Availability;
}>;

/**
 * The way of every world tool: enabled → available → schema → inspectors → policy → approval → execute →
 * shorten → redact → audit.
 */
export function createFunnel(parts: FunnelParts) {
  const { db, log, policy, terms, leftovers, settling, expiring } = parts;
  const deciding = createDeciding({ db, terms, settling, expiring });

  async function run(tool: WorldTool, given: Args, context: ToolContext): Promise<ToolResult<unknown>> {
    const startedAt = performance.now();
    const early = refuseEarly(tool, given);
    if (early) return refused(tool.name, given, early, context);
    const parsed = parseArguments(tool, given);
    if (!parsed.ok) return refused(tool.name, given, invalid(tool, parsed.problems), context);
    const { who, callId } = context;
    const args = parsed.value as Args;
    const where = await whereIs(tool, who);
    if ('refusal' in where) return refused(tool.name, args, where.refusal, context);
    const { place } = where;
    const found = await findFacts(tool, args, place);
    if ('refusal' in found) return refused(tool.name, args, found.refusal, context);
    const judged = judgeCall(
      { tool, args, facts: found.facts, place, caller: callerOf(who, place), callId },
      (await policy.current()).policy,
    );
    const opened = hideInWriting(judged, await parts.hidden.current());
    const isGated = opened.verdict.decision === 'require_approval';
    const hopeless = isGated ? await foresee(opened, worldOf(opened, context)) : undefined;
    if (hopeless) return refused(tool.name, opened.args, hopeless, context);
    const isPlain = opened.verdict.decision === 'allow';
    const call = isPlain ? opened : { ...opened, taskId: await taskOf(who) };
    const canAsk = deciding.canBeAsked(context);
    const start = await db.write(actorFor(who), (tx) =>
      beginCall(tx, call, canAsk ? { ...terms, unattended: 'wait' } : terms),
    );
    if (start.kind === 'denied')
      return isUnattended(start.reason)
        ? notApproved('unattended', { tool: tool.name })
        : denied(start.reason, start.hint);
    const end =
      start.kind === 'wait' ? await decideOrAsk(call, start.approval, context, startedAt) : undefined;
    if (end) return closeUnapproved(call, end, context, startedAt);
    const meanwhile = start.kind === 'wait' ? await forbiddenMeanwhile(call, given) : undefined;
    if (meanwhile) {
      await noteBlocked(call, reasonOf(meanwhile), context, startedAt);
      return meanwhile;
    }
    return close(call, await executeOrAsk(call, context, startedAt), context, startedAt);
  }

  /** A client whose folder is gone works nowhere: not in the folder of everybody else either. */
  async function whereIs(
    tool: WorldTool,
    who: Principal,
  ): Promise<Readonly<{ place: Workplace } | { refusal: Refusal }>> {
    try {
      return { place: await parts.placeOf(who) };
    } catch (error) {
      return { refusal: failedCall(tool, error) };
    }
  }

  /** A tool may have to ask its client first: that end of the call is written down, too. */
  async function executeOrAsk(call: JudgedCall, context: ToolContext, startedAt: number): Promise<Executed> {
    try {
      return await execute(call, worldOf(call, context), settling);
    } catch (question) {
      const isAsked = question instanceof InputRequired;
      const entry = isAsked
        ? { outcome: 'asked' as const, reason: 'input:asked' }
        : { outcome: 'error' as const, reason: 'protocol', isError: true };
      await note(call, entry, context, startedAt);
      throw question;
    }
  }

  /** A person may take minutes to decide: what was switched off or forbidden since then does not run any more. */
  async function forbiddenMeanwhile(call: JudgedCall, given: Args): Promise<Refusal | undefined> {
    const early = refuseEarly(call.tool, given);
    if (early) return early;
    const verdict = call.verdictUnder((await policy.current()).policy);
    return verdict.decision === 'deny' ? denied(verdict.reason, verdict.hint) : undefined;
  }

  /** Of several tasks that a caller holds, nobody can tell which one a call is for. */
  async function taskOf(who: Principal): Promise<string | null> {
    const held = await parts.heldTasks(who);
    return held.length === 1 ? held[0]! : null;
  }

  function refuseEarly(tool: WorldTool, given: Args): Refusal | undefined {
    if (!parts.isEnabled(tool.name))
      return denied(`disabled:${tool.name}`, 'An operator has switched this tool off.');
    const { visible, diagnostics } = parts.availabilityOf(tool);
    if (!visible)
      return denied(`unavailable:${diagnostics.join(',')}`, 'What this tool needs is not configured.');
    const problem = shapeProblem(given);
    return problem === undefined ? undefined : invalid(tool, [problem]);
  }

  /**
   * For calls that never become a case: unknown, hidden, disabled, forbidden or malformed. They are written
   * down too.
   */
  async function refused(
    toolName: string,
    args: unknown,
    refusal: Refusal,
    context: ToolContext,
  ): Promise<Refusal> {
    const hide = await parts.hidden.current();
    const place = await parts.placeOf(context.who).catch(() => NOWHERE);
    const summary = shapeProblem(args) === undefined ? args : { omitted: 'arguments of an impossible shape' };
    await db.write(actorFor(context.who), (tx) =>
      appendAudit(tx, {
        callId: context.callId,
        toolName,
        caller: callerOf(context.who, place),
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

  /**
   * A client of the newer era is asked by ending its call: that end is written down, and the question goes on
   * its way.
   */
  async function decideOrAsk(
    call: JudgedCall,
    approval: Approval,
    context: ToolContext,
    startedAt: number,
  ): Promise<Unapproved | undefined> {
    try {
      return await deciding.decide(call, approval, context);
    } catch (question) {
      if (question instanceof InputRequired)
        await note(call, { outcome: 'asked', reason: 'approval:asked' }, context, startedAt);
      throw question;
    }
  }

  async function closeUnapproved(
    call: JudgedCall,
    { end, note: word }: Unapproved,
    context: ToolContext,
    startedAt: number,
  ): Promise<ToolResult<unknown>> {
    const outcome: CallOutcome =
      end === 'deny' ? 'denied' : end === 'pending' ? 'timeout' : (end as CallOutcome);
    await note(call, { outcome, reason: `approval:${end}`, isError: true }, context, startedAt);
    return notApproved(end, { tool: call.tool.name, note: word });
  }

  async function close(
    call: JudgedCall,
    executed: Executed,
    context: ToolContext,
    startedAt: number,
  ): Promise<ToolResult<unknown>> {
    const keep = (rest: string) => leftovers.keep(call.caller.principal, rest);
    const { result, summary } = finishAnswer(call.tool, executed.result, {
      keep,
      hide: await parts.hidden.current(),
    });
    const { outcome } = executed;
    const entry = { outcome, isError: !result.ok, resultSummary: summarise(summary, AUDIT_SUMMARY) };
    const isPlain = isPlainRead(call);
    const write = isPlain ? db.writeSoon : db.write;
    const noted = write(actorFor(context.who), ending(call, entry, context, startedAt)).catch((error) => {
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
  }

  async function noteBlocked(
    call: JudgedCall,
    reason: string,
    context: ToolContext,
    startedAt: number,
  ): Promise<void> {
    const entry = { outcome: 'denied', reason, isError: true, resultSummary: blockedSummary(call) } as const;
    const end = ending(call, entry, context, startedAt);
    await db.write(actorFor(context.who), (tx) => (tellBlocked(tx, call, reason), end(tx)));
  }

  async function note(
    call: JudgedCall,
    entry: Ending,
    context: ToolContext,
    startedAt: number,
  ): Promise<void> {
    await db.write(actorFor(context.who), ending(call, entry, context, startedAt));
  }

  return { run, refused };
}

type Ending = Pick<AuditEntry, 'outcome' | 'reason' | 'isError' | 'resultSummary'>;

/** The unit that writes down how a call ended. */
function ending(
  { callId, caller, tool, bond }: JudgedCall,
  entry: Ending,
  { who }: ToolContext,
  startedAt: number,
): (tx: Tx) => Promise<unknown> {
  const durationMs = Math.round(performance.now() - startedAt);
  const seat = who.seat === '' ? undefined : digestOfSeat(who.seat);
  const { argsHash } = bond;
  return (tx) =>
    appendAudit(tx, {
      ...entry,
      callId,
      caller,
      toolName: tool.name,
      argsHash,
      phase: 'after',
      durationMs,
      seat,
    });
}

/**
 * A call that changes nothing and that nobody had to be asked for is answered while its end is being written: what it
 * did is on disk before it runs, with its arguments, like that of every call. An end that a crash took away reads as
 * unknown, as after a crash in the middle of the call.
 */
function isPlainRead({ tool, verdict }: JudgedCall): boolean {
  return tool.annotations.readOnlyHint && verdict.decision === 'allow';
}

/** What an executor, and what it asks beforehand, gets to know of the call. */
function worldOf(
  { facts, place, mayReach, isReachRuled, rulingOn }: JudgedCall,
  context: ToolContext,
): WorldContext {
  return { ...context, facts, place, mayReach, isReachRuled, rulingOn };
}

/** What is written down of a call, without the hub's own secrets. What runs is left as it is. */
function hideInWriting(call: JudgedCall, hide: Hide): JudgedCall {
  const { verdict } = call;
  const auditSummary = hide(call.auditSummary);
  if (verdict.decision !== 'require_approval')
    return auditSummary === call.auditSummary ? call : { ...call, auditSummary };
  const hideIn = ({ key, text }: GrantShape) => ({ key, text: hide(text) });
  const shape = hideIn(verdict.shape);
  const offers = { ...verdict.offers, ladder: verdict.offers.ladder.map(hideIn) };
  const [message, approverSummary] = [hide(verdict.message), hide(verdict.approverSummary)];
  return { ...call, auditSummary, verdict: { ...verdict, message, approverSummary, shape, offers } };
}

function reasonOf({ meta, value, code }: Refusal): string {
  const reason = meta?.['denied'] ?? value?.['denied'];
  return typeof reason === 'string' ? reason : code;
}

function isUnattended(reason: string): boolean {
  return reason === 'approval:unattended';
}

/** Whoever has mended so many sees the rest next time. */
const MOST_PROBLEMS = 20;

function invalid(tool: WorldTool, problems: readonly string[]): Refusal {
  const few = problems.slice(0, MOST_PROBLEMS);
  const text = [
    ...few,
    ...(problems.length > few.length ? [`… and ${problems.length - few.length} more`] : []),
  ].join('; ');
  const reason = `invalid-args:${redact(text).slice(0, 200)}`;
  return {
    ok: false,
    line: `invalid arguments for ${tool.name}: ${text}`,
    code: 'invalid',
    value: { denied: reason },
    hint: 'Correct the named arguments and call again; nothing was done.',
    meta: { denied: reason },
  };
}
