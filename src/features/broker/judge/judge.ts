// The first step of a call: is its tool there, do its arguments fit, what is true of it, and what do inspectors and rules
// say. Nothing is asked, counted or written here.
import type { Principal } from '../../../kernel/principal.ts';
import { redact } from '../../../kernel/redact.ts';
import type { ToolContext } from '../../../mcp/define.ts';
import { parseArguments } from '../../../mcp/validate.ts';
import type { Workplace } from '../../projects/projects.ts';
import type { GrantShape } from '../ask/shape.ts';
import { toolCallerOf } from '../caller.ts';
import type { HiddenValues, Hide } from '../run/hidden-values.ts';
import { denied, failedCall, type Refusal } from '../tell/refusals.ts';
import { type WorldContext, type WorldTool, worldOf } from '../world-tool.ts';
import type { Availability } from './availability.ts';
import { findFacts } from './facts.ts';
import type { Args } from './inspectors/inspector.ts';
import { type JudgedCall, judgeCall } from './judge-call.ts';
import type { PolicyFile } from './policy/file.ts';
import { shapeProblem } from './shape-guard.ts';

export type JudgeParts = Readonly<{
  policy: PolicyFile;
  hidden: HiddenValues;
  isEnabled(name: string): boolean;
  availabilityOf(tool: WorldTool): Availability;
  /** Where a caller works; throws where its folder is gone. */
  workplaceOf(who: Principal): Promise<Workplace>;
  heldTasks(who: Principal): Promise<readonly string[]>;
}>;

/** A case, or why there is none; `args` are what is written down of it. */
type Judged = Readonly<{ call: JudgedCall }> | Readonly<{ refusal: Refusal; args: Args }>;

type Where = Readonly<{ place: Workplace } | { refusal: Refusal }>;

export interface Judge {
  judge(asked: Readonly<{ tool: WorldTool; given: Args }>, context: ToolContext): Promise<Judged>;
  /** A person may take minutes to decide: what was switched off or forbidden since then does not run any more. */
  forbidNow(call: JudgedCall): Promise<Refusal | undefined>;
}

export function createJudge(parts: JudgeParts): Judge {
  function refuseAbsent(tool: WorldTool): Refusal | undefined {
    if (!parts.isEnabled(tool.name))
      return denied(`disabled:${tool.name}`, 'An operator has switched this tool off.');
    const { visible, diagnostics } = parts.availabilityOf(tool);
    if (visible) return undefined;
    return denied(`unavailable:${diagnostics.join(',')}`, 'What this tool needs is not configured.');
  }

  /** A client whose folder is gone works nowhere: not in the folder of everybody else either. */
  async function whereIs(tool: WorldTool, who: Principal): Promise<Where> {
    try {
      return { place: await parts.workplaceOf(who) };
    } catch (error) {
      return { refusal: failedCall(tool, error) };
    }
  }

  /** Of several tasks that a caller holds, nobody can tell which one a call is for. */
  async function taskOf(who: Principal): Promise<string | null> {
    const held = await parts.heldTasks(who);
    return held.length === 1 ? held[0]! : null;
  }

  return {
    async judge({ tool, given }, context) {
      const absent = refuseAbsent(tool);
      if (absent) return { refusal: absent, args: given };
      const problem = shapeProblem(given);
      if (problem !== undefined) return { refusal: invalid(tool, [problem]), args: given };
      const parsed = parseArguments(tool, given);
      if (!parsed.ok) return { refusal: invalid(tool, parsed.problems), args: given };
      const args = parsed.value as Args;

      const { who, callId } = context;
      const where = await whereIs(tool, who);
      if ('refusal' in where) return { ...where, args };
      const { place } = where;
      const found = await findFacts(tool, args, place);
      if ('refusal' in found) return { ...found, args };

      const { policy } = await parts.policy.current();
      const toJudge = { tool, args, facts: found.facts, place, caller: toolCallerOf(who, place), callId };
      const call = hideInWriting(judgeCall(toJudge, policy), await parts.hidden.current());
      const { decision } = call.verdict;
      if (decision === 'allow') return { call };
      const hopeless =
        decision === 'require_approval' ? await foresee(call, worldOf(call, context)) : undefined;
      if (hopeless) return { refusal: hopeless, args: call.args };
      return { call: { ...call, taskId: await taskOf(who) } };
    },

    async forbidNow(call) {
      const absent = refuseAbsent(call.tool);
      if (absent) return absent;
      const verdict = call.verdictUnder((await parts.policy.current()).policy);
      return verdict.decision === 'deny' ? denied(verdict.reason, verdict.hint) : undefined;
    },
  };
}

/** Why a person need not be asked for this call, if it could only fail. */
async function foresee({ tool, args }: JudgedCall, context: WorldContext): Promise<Refusal | undefined> {
  try {
    await tool.precheck?.(args as never, context);
    return undefined;
  } catch (error) {
    return failedCall(tool, error);
  }
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
