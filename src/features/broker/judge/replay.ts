import { z } from 'zod';
import { judgeCall } from './judge-call.ts';
import type { Policy } from './policy/policy.ts';
import { argsOf, callAgain, type PastParts } from './past-calls.ts';
import { type AuditRow, listAudit } from '../rows/audit.ts';

export const replayChange = z.object({
  callId: z.string(),
  toolName: z.string(),
  agentId: z.string().nullable(),
  was: z.string(),
  now: z.string(),
  reason: z.string(),
});
export type ReplayChange = z.infer<typeof replayChange>;

/**
 * Judges recent calls again under another policy. The audit keeps scrubbed summaries, so an argument that was
 * masked or cut is judged as it was stored; a dry run says what would change, it does not prove it.
 */
export async function replay(
  parts: PastParts,
  policy: Policy,
  limit: number,
): Promise<{ looked: number; changes: ReplayChange[] }> {
  const rows = await parts.db.read((q) => listAudit(q, { phase: 'before' }, { before: null, limit }));
  const tools = new Map(parts.tools().map((tool) => [tool.name, tool]));
  const changes: ReplayChange[] = [];
  let looked = 0;
  for (const row of rows) {
    const { callId, toolName, agentId } = row;
    const tool = tools.get(toolName);
    const args = argsOf(row);
    const was = ruledOn(row);
    if (!tool || !args || was === undefined) continue;
    const call = await callAgain(parts, tool, { row, args });
    if (!call) continue;
    looked += 1;
    const { verdict } = judgeCall(call, policy);
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
