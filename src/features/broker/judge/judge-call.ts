import { ANY, holderKey, type ToolCaller } from '../caller.ts';
import type { Workplace } from '../../projects/projects.ts';
import { fingerprint } from '../ask/fingerprint.ts';
import { inspectClamps } from './inspectors/clamp.ts';
import type { Args, InspectedCall, InspectorFinding, Inspector } from './inspectors/inspector.ts';
import { inspectRisk } from './inspectors/risk.ts';
import { inspectScope } from './inspectors/scope.ts';
import { inspectSecurity } from './inspectors/security.ts';
import { maskedPlace, refusedMask } from './masked-places.ts';
import { decide, limitsFor } from './policy/decide.ts';
import type { Policy } from './policy/policy.ts';
import type { Bond } from '../rows/approvals.ts';
import { exactKeyOf, type GrantShape, runningArgs, shapeOf } from '../ask/shape.ts';
import { type Offers, offersOf } from '../ask/offers.ts';
import { AUDIT_SUMMARY, summariseArgs, summariseForApproval, visible } from '../tell/summary.ts';
import { type CallFacts, riskOf, type Ruling, type WorldTool } from '../world-tool.ts';

/** In this order; the first deny or ask decides, a rewrite changes what the ones after it see. */
const INSPECTORS: readonly Inspector[] = [inspectSecurity, inspectScope, inspectClamps, inspectRisk];

/** A parsed call with everything that will be decided and written down about it. */
export type JudgedCall = Readonly<{
  tool: WorldTool;
  caller: ToolCaller;
  callId: string;
  /** The board task that its caller is at, where that is known: approvers see what the call is for. */
  taskId: string | null;
  args: Args;
  facts: CallFacts;
  place: Workplace;
  bond: Bond;
  auditSummary: string;
  verdict: CallVerdict;
  /** A rule for paths holds for every file that a search comes upon, not only for where it begins. */
  mayReach(place: string): boolean;
  isReachRuled: boolean;
  rulingOn(argument: string, value: string): Ruling;
  /** The same call under the policy of another moment. */
  verdictUnder(policy: Policy): CallVerdict;
  limits: ReturnType<typeof limitsFor>;
  /** Reason codes of rewrites and observations. */
  notes: readonly string[];
  isRewritten: boolean;
}>;

type CallVerdict =
  | Readonly<{ decision: 'allow'; reason: string }>
  | Readonly<{ decision: 'deny'; reason: string; hint: string }>
  | Readonly<{
      decision: 'require_approval';
      reason: string;
      message: string;
      approverSummary: string;
      /** The key of a grant for these very arguments. */
      exact: string;
      shape: GrantShape;
      offers: Offers;
    }>;

export type ToolCall = Readonly<{
  tool: WorldTool;
  args: Args;
  facts: CallFacts;
  place: Workplace;
  caller: ToolCaller;
  callId: string;
}>;

/** Pure: what is to be done with a call under a policy, before anything has been asked or counted. */
export function judgeCall(call: ToolCall, policy: Policy): JudgedCall {
  const { tool, args: given, facts, place, caller, callId } = call;
  const findings: InspectorFinding[] = [];
  let args = given;
  for (const inspect of INSPECTORS) {
    for (const finding of inspect({ tool, args, facts, caller, policy })) {
      findings.push(finding);
      if (finding.verdict === 'rewrite') args = finding.args;
    }
    if (findings.some(({ verdict }) => verdict === 'deny')) break;
  }
  const verdict = verdictOn(findings, { tool, args, facts, caller, policy });
  return {
    tool,
    caller,
    callId,
    taskId: null,
    args,
    facts,
    place,
    bond: {
      principal: caller.principal,
      toolName: tool.name,
      argsHash: fingerprint(runningArgs(args, facts)),
      holder: holderKey(caller.holder),
    },
    auditSummary: summariseArgs(args, AUDIT_SUMMARY),
    verdict,
    mayReach: reachOf(verdict, { tool, args, facts, caller, policy }),
    isReachRuled: hasPathRules(policy),
    rulingOn: (argument, value) =>
      decide(policy, { tool, args: { ...args, [argument]: value }, facts, caller })?.decide,
    verdictUnder: (other) => judgeCall(call, other).verdict,
    limits: limitsFor(policy, { tool, args, facts, caller }),
    notes: findings
      .filter(({ verdict }) => verdict === 'rewrite' || verdict === 'observe')
      .map(({ reason }) => reason),
    isRewritten: args !== given,
  };
}

/**
 * Deny of an inspector, then policy, then what the inspectors would ask. A firm ask outlives an allowing
 * rule.
 */
function verdictOn(findings: readonly InspectorFinding[], call: InspectedCall): CallVerdict {
  const deny = findings.find((finding) => finding.verdict === 'deny');
  if (deny) return { decision: 'deny', reason: deny.reason, hint: deny.hint };
  const ruled = decide(call.policy, call);
  if (ruled?.decide === 'deny') {
    const hint = ruled.because ?? 'A rule of policy.yaml forbids this.';
    return { decision: 'deny', reason: `policy:${ruled.rule}`, hint };
  }
  const asks = findings.filter((finding) => finding.verdict === 'ask');
  const ask = asks.find(({ firm }) => firm) ?? (ruled?.decide === 'allow' ? undefined : asks[0]);
  const isAsked = ask !== undefined || ruled?.decide === 'ask';
  // Nobody decides about what only looks: a file may be called whatever it likes.
  const masked =
    isAsked || riskOf(call.tool) !== 'safe' ? maskedPlace(call.tool, call.args, call.facts) : undefined;
  if (masked) return refusedMask(masked);
  if (!isAsked) return { decision: 'allow', reason: ruled ? `policy:${ruled.rule}` : 'default' };
  const reason = ask && (ask.firm || !ruled) ? ask.reason : `policy:${ruled!.rule}`;
  const message =
    ruled?.because ?? ask?.message ?? `"${call.tool.name}" needs approval by a rule of policy.yaml`;
  return askFor(call, reason, message);
}

/** What a person was asked for may reach what would be asked for; what is denied is reached by nobody. */
function reachOf({ decision }: CallVerdict, { policy, ...call }: InspectedCall): (place: string) => boolean {
  if (!hasPathRules(policy)) return () => true;
  return (path) => {
    const ruled = decide(policy, { ...call, facts: { ...call.facts, path } })?.decide;
    return ruled !== 'deny' && (ruled !== 'ask' || decision === 'require_approval');
  };
}

function hasPathRules({ rules }: Policy): boolean {
  return rules.some(({ args }) => args?.['path'] !== undefined);
}

/** A person decides on what can be shown: a call that cannot be shown whole is not asked for. */
function askFor({ tool, args, facts, caller }: InspectedCall, reason: string, message: string): CallVerdict {
  const approverSummary = summariseForApproval(args, tool.content);
  if (approverSummary === undefined)
    return {
      decision: 'deny',
      reason: 'approval:too-long',
      hint: 'No person could read all of it. Say it in fewer words.',
    };
  const warn = tool.warn as ((args: Args, facts: CallFacts) => string | undefined) | undefined;
  const said = [message, ...leadsElsewhere(args, facts), warn?.(args, facts)].filter(
    (part) => part !== undefined,
  );
  return {
    decision: 'require_approval',
    reason,
    // One sentence of several: what ended with a full stop goes on.
    message: visible(
      said.map((part, at) => (at < said.length - 1 ? part.replace(/\.$/, '') : part)).join('; '),
    ),
    approverSummary,
    ...keysFor({ tool, args, facts: keyFacts(facts, caller) }, reason),
  };
}

type Keyed = Pick<InspectedCall, 'tool' | 'args' | 'facts'>;

function keysFor({ tool, args, facts }: Keyed, reason: string) {
  return {
    exact: exactKeyOf(tool, args, facts),
    shape: shapeOf(tool, args, facts),
    offers: offersOf({ tool, args, facts }, reason),
  };
}

/**
 * Which workspace a grant holds in is part of its key where its caller has a credential. A grant of a local seat names
 * the repository itself (`holder.ground`), so that it holds in every worktree and can be given for every project.
 */
function keyFacts(facts: CallFacts, { holder }: ToolCaller): CallFacts {
  if (holder.ground === ANY) return facts;
  const { workspace: _, ...rest } = facts;
  return rest;
}

/** `notes/../.git/hooks/x` reads harmless: where a path leads is said, unless it was written that way. */
function leadsElsewhere(args: Args, facts: CallFacts): string[] {
  return Object.entries(args).flatMap(([name, given]) => {
    const place = facts[name];
    return place === undefined || place === given || typeof given !== 'string'
      ? []
      : [`${name} is ${JSON.stringify(place)}`];
  });
}
