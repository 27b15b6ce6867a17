// What an agent that begins is told of its own calls that needed a person.
import { hasScope } from '../../../kernel/principal.ts';
import type { Database } from '../../../store/database.ts';
import { agoText, type AskBrief, type BriefItem } from '../../briefing/briefing.ts';
import { approvalsOfAgents, type Approval } from '../rows/approvals.ts';

const MOST = 6;

export function approvalBrief(db: Database): AskBrief {
  return async ({ caller: { who }, agents, team, since, now }) => {
    if (agents.length === 0 || !hasScope(who, 'tools:read')) return [];
    const found = await db.read((q) => approvalsOfAgents(q, { agents, since, now, most: MOST }));
    return found
      .filter(({ teamId, project }) => team === undefined || (teamId ?? project ?? team) === team)
      .map((approval) => toTold(approval, now));
  };
}

function toTold(
  { id, toolName, argsSummary, status, resolvedAt, createdAt }: Approval,
  now: number,
): BriefItem {
  const words = `${toolName} ${argsSummary ?? ''}`.trim();
  return resolvedAt === null || status === 'pending'
    ? { kind: 'approval', id, words, says: `waits for a person since ${agoText(now, createdAt)}` }
    : {
        kind: 'answered',
        id,
        words,
        says: `${status === 'deny' ? 'denied' : 'allowed'} by a person, ${agoText(now, resolvedAt)}`,
      };
}
