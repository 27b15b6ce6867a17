import type { NewEvent } from '../../kernel/event.ts';
import { newId } from '../../kernel/ids.ts';
import type { Tx } from '../../store/database.ts';
import { insertComment } from './rows/comments.ts';
import type { AuthorType, Comment, StoredTask } from './task.ts';

/** How changes are told: an event for machines, a comment for whoever reads the task next. */
type Told = Pick<StoredTask, 'id' | 'teamId'>;

export function tell(
  tx: Tx,
  task: Told,
  kind: `task.${string}`,
  data: NonNullable<NewEvent['data']> = {},
): void {
  tx.emit({
    kind,
    subject: task.id,
    realm: 'hub',
    ...(task.teamId === null ? {} : { team: task.teamId }),
    data,
  });
}

export type NewComment = Readonly<{ authorType: AuthorType; authorAgentId: string | null; body: string }>;

export async function comment(
  tx: Tx,
  task: Told,
  { authorType, authorAgentId, body }: NewComment,
): Promise<Comment> {
  const added: Comment = {
    id: newId(),
    taskId: task.id,
    authorAgentId,
    authorType,
    body,
    tenantId: null,
    createdAt: tx.now,
  };
  await insertComment(tx, added);
  tell(tx, task, 'task.commented', { commentId: added.id, authorType });
  return added;
}

/** Ids and times only: a note of the system never repeats what a caller wrote. */
export async function note(tx: Tx, task: Told, body: string): Promise<void> {
  await comment(tx, task, { authorType: 'system', authorAgentId: null, body });
}

export function at(instant: number | null): string {
  return instant === null ? 'an unknown time' : new Date(instant).toISOString();
}
