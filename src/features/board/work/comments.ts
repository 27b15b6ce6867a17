import { HubError } from '../../../kernel/errors.ts';
import { redact } from '../../../kernel/redact.ts';
import { isClaimed } from '../rules.ts';
import type { AuthorType, Comment } from '../detail.ts';
import type { StoredTask } from '../task.ts';
import type { BoardSight, Unit } from '../unit.ts';
import { standingOf } from './claims.ts';
import { requireTask, withSigns } from './find.ts';
import { comment } from './narration.ts';

export type CommentRequest = Readonly<{ taskId: string; body: string; authorType?: AuthorType | undefined }>;

/** Comments are open to all; whoever holds the task gives a sign of life with its own. */
export async function addComment(
  unit: Unit,
  { taskId, body, authorType = 'agent' }: CommentRequest,
): Promise<Comment> {
  const { tx, caller } = unit;
  const { agent: bound } = caller.who.bound;
  if (authorType !== 'agent' && bound !== undefined) throw notYourVoice(bound);
  const task = await touchIfHolder(unit, taskId);
  const author = authorType === 'agent' ? (caller.agent ?? caller.who.name ?? null) : (caller.agent ?? null);
  return comment(tx, task, { authorType, authorAgentId: author, body: redact(body) });
}

/** Reading or commenting on one's own task is a sign of life. */
export async function touchIfHolder(sight: BoardSight, taskId: string): Promise<StoredTask> {
  const { renewals } = sight;
  const task = await requireTask(sight, taskId);
  const isHolder = isClaimed(task) && (await standingOf(sight, task)) === 'holder';
  if (isHolder) renewals.touchClaim(task.id, task.fence);
  return isHolder ? withSigns(task, renewals) : task;
}

function notYourVoice(agent: string): HubError {
  return new HubError('forbidden', `The agent ${agent} cannot write as a person or as the system.`, {
    hint: "Leave authorType out: it is 'agent'.",
  });
}
