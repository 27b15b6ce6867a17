import { type CallFacts, riskOf } from '../../world-tool.ts';
import type { Args, InspectorFinding, Inspector } from './inspector.ts';
import type { Rule } from '../../../../kernel/inspect/patterns/rule.ts';
import { RULES } from '../../../../kernel/inspect/patterns/rules.ts';
import { type Views, viewsOf } from '../../../../kernel/inspect/views.ts';

/**
 * Looks for injection, exfiltration, destruction and unsafe installs. For a safe tool, which can do no harm
 * by itself, only injection refuses; what is found in content arguments is noted. A speed bump, not a wall:
 * the jail, the sandbox and the approval are the walls.
 */
export const inspectSecurity: Inspector = ({ tool, args, facts, policy }) => {
  const content = new Set(tool.content ?? []);
  const orders = Object.fromEntries(Object.entries(args).filter(([name]) => !content.has(name)));
  const views = viewsOf(orders);
  const found = new Set([...match(views, policy.ignored), ...scan(elsewhere(args, facts), policy.ignored)]);
  const findings = [...found].map((rule) => judge(rule, riskOf(tool) === 'safe'));
  if (riskOf(tool) !== 'safe' && !views.isWhole) {
    findings.push({
      verdict: 'ask',
      reason: 'security:unread',
      message: 'this call is too long to be inspected as a whole',
      firm: true,
    });
  }
  if (content.size > 0) {
    const texts = Object.fromEntries(Object.entries(args).filter(([name]) => content.has(name)));
    findings.push(...scan(texts, policy.ignored).map((rule) => observe(rule)));
  }
  return findings.sort((a, b) => STRENGTH[a.verdict] - STRENGTH[b.verdict]);
};

/** Where the paths of a call really lead, where that is not what was written. */
function elsewhere(args: Args, facts: CallFacts): readonly string[] {
  return Object.keys(facts).length === 0
    ? []
    : Object.keys(args).flatMap((name) => ((facts[name] ?? args[name]) === args[name] ? [] : [facts[name]!]));
}

const STRENGTH = { deny: 0, ask: 1, rewrite: 2, observe: 3 } as const;

export function scan(value: unknown, ignored: ReadonlySet<string>): Rule[] {
  return match(viewsOf(value), ignored);
}

/** Prose says more ways than a command does, so what looks like a sentence is read in more ways. */
function match(views: Views, ignored: ReadonlySet<string>): Rule[] {
  return RULES.filter(({ label, severity, finds }) => {
    if (ignored.has(label)) return false;
    return views.texts.some(finds) || (severity === 'injection' && views.prose.some(finds));
  });
}

function judge(rule: Rule, isSafe: boolean): InspectorFinding {
  const reason = reasonOf(rule);
  if (rule.severity === 'supply-chain')
    return isSafe ? observe(rule) : { verdict: 'ask', reason, message: `this ${rule.meaning}`, firm: true };
  if (isSafe && rule.severity !== 'injection') return observe(rule);
  return {
    verdict: 'deny',
    reason,
    hint: `The call ${rule.meaning}. If it is meant, a person has to do it, or name ${rule.label} under inspectors.ignore in policy.yaml.`,
  };
}

function observe(rule: Rule): InspectorFinding {
  return { verdict: 'observe', reason: `mention:${reasonOf(rule)}` };
}

function reasonOf({ severity, label }: Rule): string {
  return `security:${severity}:${label}`;
}
