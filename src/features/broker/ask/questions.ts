// The question to the user of a client that can be asked, and what was answered.
import { HubError } from '../../../kernel/errors.ts';
import type { Reply } from '../../../mcp/ask.ts';
import type { ToolContext } from '../../../mcp/define.ts';
import { askerWords } from './grants.ts';
import type { Approval } from '../rows/approvals.ts';

const DECISIONS = ['allow_once', 'allow_always', 'deny'] as const;

/**
 * Puts the request to the user of a client that can be asked. Undefined when the user put it off or the
 * client could not be reached: then the queue decides. In the 2026-07-28 era this ends the call, which comes
 * again.
 */
export async function elicitDecision(
  approval: Approval,
  context: ToolContext,
): Promise<(typeof DECISIONS)[number] | undefined> {
  let replies: Awaited<ReturnType<ToolContext['ask']>>;
  try {
    replies = await context.ask({ [`approval-${approval.id}`]: approvalQuestion(approval) });
  } catch (error) {
    if (error instanceof HubError) return undefined;
    throw error;
  }
  return decisionIn(replies[`approval-${approval.id}`]);
}

/** What a user decided in a form; undefined when it was put off. */
export function decisionIn(reply: Reply | undefined): (typeof DECISIONS)[number] | undefined {
  if (reply?.['action'] === 'decline') return 'deny';
  if (reply?.['action'] !== 'accept') return undefined;
  const { decision } = (reply['content'] ?? {}) as { decision?: unknown };
  return DECISIONS.find((known) => known === decision);
}

/** The request as a form for the user of a client. */
export function approvalQuestion(approval: Approval) {
  const { toolName, argsSummary, reason, folder } = approval;
  const where = folder === null ? '' : ` in ${folder}`;
  return {
    method: 'elicitation/create',
    params: {
      message: `${reason ?? `${toolName} needs approval`}.\n${toolName} ${argsSummary ?? ''}${where}\n"allow_always" would allow exactly this to ${askerWords(approval)}, for 30 days.`,
      requestedSchema: {
        type: 'object',
        properties: { decision: { type: 'string', title: 'Decision', enum: [...DECISIONS] } },
        required: ['decision'],
      },
    },
  } as const;
}
