import { HubError } from '../../kernel/errors.ts';
import { redact } from '../../kernel/redact.ts';
import type { Caller } from '../../store/acting.ts';
import type { Tx } from '../../store/database.ts';
import { touchIfHolder } from './board.ts';
import { comment } from './narration.ts';
import type { Settings } from './settings.ts';
import type { AuthorType, Comment } from './task.ts';

export type CommentRequest = Readonly<{ taskId: string; body: string; authorType: AuthorType }>;

/** Comments are open to all; whoever holds the task gives a sign of life with its own. */
export async function addComment(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  { taskId, body, authorType }: CommentRequest,
): Promise<Comment> {
  const { agent: bound } = caller.who.bound;
  if (authorType !== 'agent' && bound !== undefined) throw notYourVoice(bound);
  const task = await touchIfHolder(tx, settings, caller, taskId);
  const author = authorType === 'agent' ? (caller.agent ?? caller.who.name ?? null) : (caller.agent ?? null);
  return comment(tx, task, { authorType, authorAgentId: author, body: redact(body) });
}

function notYourVoice(agent: string): HubError {
  return new HubError('forbidden', `The agent ${agent} cannot write as a person or as the system.`, {
    hint: "Leave authorType out: it is 'agent'.",
  });
}
