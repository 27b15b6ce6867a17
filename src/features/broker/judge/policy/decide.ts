import type { ToolCaller } from '../../caller.ts';
import { matchesAny, matchesPattern } from '../pattern.ts';
import { type CallFacts, riskOf, type WorldTool } from '../../world-tool.ts';
import { argumentMatches } from './argument.ts';
import type { ArgumentMatch, Policy, PolicyRule } from './policy.ts';

/**
 * `facts` stand in for the arguments of the same name: a rule sees where a path leads, not how it was
 * spelled.
 */
export type PolicyCall = Readonly<{
  tool: WorldTool;
  args: Readonly<Record<string, unknown>>;
  facts?: CallFacts;
  caller: ToolCaller;
}>;

export type PolicyDecision = Readonly<{
  decide: 'allow' | 'deny' | 'ask';
  rule: string;
  because: string | undefined;
}>;

/** The first rule that matches, or nothing: then what the inspectors found stands. */
export function decide(policy: Policy, call: PolicyCall): PolicyDecision | undefined {
  const index = policy.rules.findIndex((rule) => ruleMatches(rule, call));
  if (index < 0) return undefined;
  const rule = policy.rules[index]!;
  return { decide: rule.decide, rule: nameOf(rule, index), because: rule.because };
}

export function nameOf(rule: PolicyRule, index: number): string {
  return rule.name ?? `rule ${index + 1}`;
}

function ruleMatches(rule: PolicyRule, { tool, args, facts = {}, caller }: PolicyCall): boolean {
  return (
    (rule.tool === undefined || matchesAny(rule.tool, tool.name)) &&
    (rule.agent === undefined || matchesAny(rule.agent, caller.agentId ?? '')) &&
    (rule.team === undefined || matchesAny(rule.team, caller.teamId ?? '')) &&
    (rule.source === undefined || matchesAny(rule.source, tool.source ?? 'builtin')) &&
    (rule.risk === undefined || rule.risk.includes(riskOf(tool))) &&
    Object.entries(rule.args ?? {}).every(([name, match]) => {
      const isAllowing = rule.decide === 'allow';
      const place = isForAbsence(match) ? undefined : facts[name];
      if (place === undefined) return argumentMatches(match, args[name], { name, isAllowing });
      return placeMatches(match, place, { workspace: facts['workspace'], isAllowing });
    })
  );
}

/**
 * The bounds that apply to a call: those of the file and those of the rule that matched, the tightest of
 * each.
 */
export function limitsFor(
  policy: Policy,
  call: PolicyCall,
): { perMinute: number | undefined; perDay: number | undefined } {
  const { tool, caller } = call;
  const general = policy.limits.filter(
    (limit) =>
      (limit.tool === undefined || matchesAny(limit.tool, tool.name)) &&
      (limit.agent === undefined || matchesAny(limit.agent, caller.agentId ?? '')) &&
      (limit.team === undefined || matchesAny(limit.team, caller.teamId ?? '')),
  );
  const own = policy.rules.find((rule) => ruleMatches(rule, call))?.limits;
  const all = own ? [...general, own] : general;
  return {
    perMinute: tightest(all.map((limit) => limit.perMinute)),
    perDay: tightest(all.map((limit) => limit.perDay)),
  };
}

function tightest(bounds: readonly (number | undefined)[]): number | undefined {
  const known = bounds.filter((bound) => bound !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

/**
 * Patterns are for paths of the workspace; those that begin with a slash are for whole paths. A rule that
 * does not allow holds for the folder itself as well: who may not touch `secrets/*` may not search or remove
 * `secrets`.
 */
function placeMatches(
  match: ArgumentMatch,
  place: string,
  rule: { workspace: string | undefined; isAllowing: boolean },
) {
  const whole = rule.workspace === undefined ? place : `${rule.workspace}/${place}`.replace(/\/\.$/, '');
  const seenBy = (text: string) => (text.startsWith('/') ? whole : place);
  if (typeof match === 'string') {
    const pattern = plain(match);
    const seen = seenBy(pattern);
    return matchesPattern(pattern, seen) || (!rule.isAllowing && matchesPattern(pattern, `${seen}/`));
  }
  if (typeof match !== 'object' || !('oneOf' in match)) return false;
  return match.oneOf.some((item) => typeof item === 'string' && plain(item) === seenBy(item));
}

function isForAbsence(match: ArgumentMatch): boolean {
  return typeof match === 'object' && 'absent' in match;
}

function plain(path: string): string {
  return path.replace(/^(?:\.\/)+(?=.)/, '');
}
