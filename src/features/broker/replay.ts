import { systemPrincipal } from '../../kernel/principal.ts';
import { parseArguments } from '../../mcp/validate.ts';
import type { Database } from '../../store/database.ts';
import { judgeCall } from './judge-call.ts';
import type { Broker } from './broker.ts';
import { findFacts } from './facts.ts';
import type { Args } from './inspectors/inspector.ts';
import type { Policy } from './policy/policy.ts';
import { type AuditRow, listAudit } from './rows/audit.ts';

export type ReplayChange = {
  callId: string;
  toolName: string;
  agentId: string | null;
  was: string;
  now: string;
  reason: string;
};

/**
 * Judges recent calls again under another policy. The audit keeps scrubbed summaries, so an argument that was
 * masked or cut is judged as it was stored; a dry run says what would change, it does not prove it.
 */
export async function replay(
  db: Database,
  broker: Broker,
  policy: Policy,
  limit: number,
): Promise<{ looked: number; changes: ReplayChange[] }> {
  const rows = await db.read((q) => listAudit(q, { phase: 'before' }, { before: null, limit }));
  const tools = new Map(broker.tools().map((tool) => [tool.name, tool]));
  const changes: ReplayChange[] = [];
  let looked = 0;
  for (const row of rows) {
    const { callId, toolName, agentId, teamId } = row;
    const tool = tools.get(toolName);
    const args = argsOf(row.argsSummary);
    const was = ruledOn(row);
    if (!tool || !args || was === undefined || !parseArguments(tool, args).ok) continue;
    const who = {
      ...systemPrincipal,
      bound: { ...(agentId !== null && { agent: agentId }), ...(teamId !== null && { team: teamId }) },
    };
    const found = await findFacts(tool, args);
    if ('refusal' in found) continue;
    looked += 1;
    const { verdict } = judgeCall({ tool, args, facts: found.facts, who, callId }, policy);
    if (verdict.decision !== was)
      changes.push({ callId, toolName, agentId, was, now: verdict.decision, reason: verdict.reason });
  }
  return { looked, changes };
}

/**
 * What the rules had said. Undefined where they were not asked, or had no say: a tool that was not there, a
 * limit.
 */
function ruledOn({ decision, reason }: Pick<AuditRow, 'decision' | 'reason'>): string | undefined {
  if (reason === 'grant' || reason?.startsWith('approval:')) return 'require_approval';
  if (
    decision === null ||
    /^(unavailable|disabled|unknown-tool|invalid-args|rate|budget):/.test(reason ?? '')
  )
    return undefined;
  return decision === 'rewrite' ? 'allow' : decision;
}

function argsOf(summary: string | null): Args | undefined {
  if (summary === null) return undefined;
  const value: unknown = JSON.parse(summary);
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Args) : undefined;
}
