import type { NewEvent } from '../../../kernel/event.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Tx } from '../../../store/database.ts';
import { comments } from '../rows/comments.ts';
import type { AuthorType, Comment } from '../detail.ts';
import type { StoredTask } from '../task.ts';

/** How changes are told: an event for machines, a comment for whoever reads the task next. */
type Told = Pick<StoredTask, 'id' | 'teamId'>;

/** What happened to a task, for `tx.emit`. */
export function told(
  { id, teamId }: Told,
  kind: `task.${string}`,
  data: NonNullable<NewEvent['data']> = {},
): NewEvent {
  return { kind, subject: id, realm: 'hub', ...(teamId !== null && { team: teamId }), data };
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
  await comments.insert(tx, added);
  tx.emit(told(task, 'task.commented', { commentId: added.id, authorType }));
  return added;
}

/** Ids and times only: a note of the system never repeats what a caller wrote. */
export async function note(tx: Tx, task: Told, body: string): Promise<void> {
  await comment(tx, task, { authorType: 'system', authorAgentId: null, body });
}

export function at(instant: number | null): string {
  return instant === null ? 'an unknown time' : new Date(instant).toISOString();
}
