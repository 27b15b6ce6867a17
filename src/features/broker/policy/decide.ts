import type { ToolCaller } from '../caller.ts';
import { matchesAny, matchesPattern } from '../pattern.ts';
import { riskOf, type WorldTool } from '../world-tool.ts';
import type { ArgumentMatch, Policy, PolicyRule } from './policy.ts';

export type PolicyCall = Readonly<{ tool: WorldTool; args: Readonly<Record<string, unknown>>; caller: ToolCaller }>;

export type PolicyDecision = Readonly<{ decide: 'allow' | 'deny' | 'ask'; rule: string; because: string | undefined }>;

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

export function ruleMatches(rule: PolicyRule, { tool, args, caller }: PolicyCall): boolean {
  return (
    (rule.tool === undefined || matchesAny(rule.tool, tool.name)) &&
    (rule.agent === undefined || matchesAny(rule.agent, caller.agentId ?? '')) &&
    (rule.team === undefined || matchesAny(rule.team, caller.teamId ?? '')) &&
    (rule.source === undefined || matchesAny(rule.source, tool.source ?? 'builtin')) &&
    (rule.risk === undefined || rule.risk.includes(riskOf(tool))) &&
    Object.entries(rule.args ?? {}).every(([name, match]) =>
      argumentMatches(match, args[name], { name, isAllowing: rule.decide === 'allow' }),
    )
  );
}

/** The bounds that apply to a call: those of the file and those of the rule that matched, the tightest of each. */
export function limitsFor(policy: Policy, call: PolicyCall): { perMinute: number | undefined; perDay: number | undefined } {
  const { tool, caller } = call;
  const general = policy.limits.filter(
    (limit) =>
      (limit.tool === undefined || matchesAny(limit.tool, tool.name)) &&
      (limit.agent === undefined || matchesAny(limit.agent, caller.agentId ?? '')) &&
      (limit.team === undefined || matchesAny(limit.team, caller.teamId ?? '')),
  );
  const own = policy.rules.find((rule) => ruleMatches(rule, call))?.limits;
  const all = own ? [...general, own] : general;
  return { perMinute: tightest(all.map((limit) => limit.perMinute)), perDay: tightest(all.map((limit) => limit.perDay)) };
}

function tightest(bounds: readonly (number | undefined)[]): number | undefined {
  const known = bounds.filter((bound) => bound !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}

function argumentMatches(match: ArgumentMatch, value: unknown, rule: { name: string; isAllowing: boolean }): boolean {
  if (typeof match === 'string') {
    if (typeof value !== 'string')
      return typeof value === 'number' || typeof value === 'boolean' ? matchesPattern(match, String(value)) : false;
    return matchesPattern(match, value) && !(rule.isAllowing && isWider(rule.name, match, value));
  }
  if (typeof match !== 'object') return value === match;
  if ('absent' in match) return value === undefined;
  if ('oneOf' in match) return match.oneOf.some((item) => item === value);
  const { min = -Infinity, max = Infinity } = match;
  return typeof value === 'number' && value >= min && value <= max;
}

const COMMAND_NAMES = new Set(['command', 'cmd', 'script']);
const CONTROL = /[;&|<>`\n\r]|\$\(|\$\{/;

/** `git *` is meant as one git command: it does not allow `git status; rm x`, unless the pattern spells the operator out. */
function isWider(name: string, match: string, value: string): boolean {
  if (COMMAND_NAMES.has(name)) return CONTROL.test(value) && !CONTROL.test(match);
  return value.split(/[\\/]/).includes('..') && !match.includes('..');
}
