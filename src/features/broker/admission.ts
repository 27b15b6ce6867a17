import { canonicalJson } from '../../kernel/canonical-json.ts';
import type { Principal } from '../../kernel/principal.ts';
import { callerOf, type Caller } from './caller.ts';
import { fingerprint } from './fingerprint.ts';
import { inspectClamps } from './inspectors/clamp.ts';
import type { Args, Finding, Inspector } from './inspectors/inspector.ts';
import { inspectRisk } from './inspectors/risk.ts';
import { inspectScope } from './inspectors/scope.ts';
import { inspectSecurity } from './inspectors/security.ts';
import { decide, limitsFor } from './policy/decide.ts';
import type { Policy } from './policy/policy.ts';
import type { Bond } from './rows/approvals.ts';
import { APPROVAL_SUMMARY, AUDIT_SUMMARY, summarise } from './summary.ts';
import type { WorldTool } from './world-tool.ts';

/** In this order; the first deny or ask decides, a rewrite changes what the ones after it see. */
const INSPECTORS: readonly Inspector[] = [inspectSecurity, inspectScope, inspectClamps, inspectRisk];

/** A parsed call with everything that will be decided and written down about it. */
export type Case = Readonly<{
  tool: WorldTool;
  caller: Caller;
  callId: string;
  /** The board task that its caller is at, where that is known: approvers see what the call is for. */
  taskId: string | null;
  args: Args;
  bond: Bond;
  shape: string;
  auditSummary: string;
  verdict: Verdict;
  limits: ReturnType<typeof limitsFor>;
  /** Reason codes of rewrites and observations. */
  notes: readonly string[];
  isRewritten: boolean;
}>;

export type Verdict =
  | Readonly<{ decision: 'allow'; reason: string }>
  | Readonly<{ decision: 'deny'; reason: string; hint: string }>
  | Readonly<{ decision: 'require_approval'; reason: string; message: string; approverSummary: string }>;

export type Call = Readonly<{ tool: WorldTool; args: Args; who: Principal; callId: string }>;

/** Pure: what is to be done with a call under a policy, before anything has been asked or counted. */
export function openCase({ tool, args: given, who, callId }: Call, policy: Policy): Case {
  const caller = callerOf(who);
  const findings: Finding[] = [];
  let args = given;
  for (const inspect of INSPECTORS) {
    for (const finding of inspect({ tool, args, caller, policy })) {
      findings.push(finding);
      if (finding.verdict === 'rewrite') args = finding.args;
    }
    if (findings.some(({ verdict }) => verdict === 'deny')) break;
  }
  const shape = shapeOf(tool, args);
  return {
    tool,
    caller,
    callId,
    taskId: null,
    args,
    bond: { principal: caller.principal, toolName: tool.name, argsHash: fingerprint(args) },
    shape,
    auditSummary: summarise(args, AUDIT_SUMMARY),
    verdict: judge(findings, { tool, args, caller, policy }),
    limits: limitsFor(policy, { tool, args, caller }),
    notes: findings.filter(({ verdict }) => verdict === 'rewrite' || verdict === 'observe').map(({ reason }) => reason),
    isRewritten: args !== given,
  };
}

type Judged = Readonly<{ tool: WorldTool; args: Args; caller: Caller; policy: Policy }>;

/** Deny of an inspector, then policy, then what the inspectors would ask. A firm ask outlives an allowing rule. */
function judge(findings: readonly Finding[], { tool, args, caller, policy }: Judged): Verdict {
  const deny = findings.find((finding) => finding.verdict === 'deny');
  if (deny) return { decision: 'deny', reason: deny.reason, hint: deny.hint };
  const ruled = decide(policy, { tool, args, caller });
  if (ruled?.decide === 'deny') {
    return { decision: 'deny', reason: `policy:${ruled.rule}`, hint: ruled.because ?? 'A rule of policy.yaml forbids this.' };
  }
  const asks = findings.filter((finding) => finding.verdict === 'ask');
  const ask = asks.find(({ firm }) => firm) ?? (ruled?.decide === 'allow' ? undefined : asks[0]);
  if (!ask && ruled?.decide !== 'ask') return { decision: 'allow', reason: ruled ? `policy:${ruled.rule}` : 'default' };
  const reason = ask && (ask.firm || !ruled) ? ask.reason : `policy:${ruled!.rule}`;
  const message = ruled?.because ?? ask?.message ?? `"${tool.name}" needs approval by a rule of policy.yaml`;
  return { decision: 'require_approval', reason, message, approverSummary: summarise(args, APPROVAL_SUMMARY) };
}

/** Without a shape of its own, a tool is granted for these exact arguments only. */
export function shapeOf(tool: WorldTool, args: Args): string {
  const shape = tool.shape as ((args: Args) => Readonly<Record<string, string>>) | undefined;
  return canonicalJson(shape ? shape(args) : { exactly: fingerprint(args) });
}
