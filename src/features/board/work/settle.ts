import type { Query, Tx } from '../../../store/database.ts';
import { endClaim } from '../rows/claims.ts';
import { listChecks } from '../rows/evidence.ts';
import { setShelved } from '../rows/labels.ts';
import { changeTask } from '../rows/tasks.ts';
import { beginsRevision, isClaimed, isTerminal } from '../rules.ts';
import type { Status, StoredTask } from '../task.ts';
import { releaseDependents } from './dependencies.ts';
import { told } from './narration.ts';
import { plainStatus } from './plain-status.ts';
import { FREE } from './reopen.ts';

type Settling = Readonly<{
  to: Status;
  /** Who finished it, where nobody here did. */
  by: string;
  via: 'import' | 'sync';
  /** A person takes it as done without the evidence that is asked for here. */
  override?: Readonly<{ by: string; reason: string }> | undefined;
}>;

/**
 * Where a task stands elsewhere becomes where it stands here, whatever lies between. Nobody here works on what is under way
 * there, so that is work to be done. A claim ends with it, and its holder is told so by its fence.
 */
export async function settle(tx: Tx, task: StoredTask, settling: Settling): Promise<StoredTask> {
  const { to: there, by, via, override } = settling;
  const to = plainStatus(there);
  if (plainStatus(task.status) === to) return task;
  if (isClaimed(task)) await endClaim(tx, task, isTerminal(to) ? (to as 'done' | 'cancelled') : 'revoke');
  const moved = await changeTask(tx, task.id, {
    ...FREE,
    status: to,
    completedAt: isTerminal(to) ? tx.now : null,
    ...(beginsRevision(task.status, to) && { revision: task.revision + 1 }),
    ...(to === 'done' && {
      assigneeAgentId: task.assigneeAgentId ?? by,
      claimedAt: task.claimedAt ?? tx.now,
      fence: Math.max(task.fence, 1),
      ...(override && { verification: { status: 'overridden' as const, at: tx.now, ...override } }),
    }),
  });
  if (!isTerminal(to)) await setShelved(tx, task.id, null);
  const { fence, assigneeAgentId: agentId } = moved;
  tx.emit(told(moved, 'task.status_changed', { from: task.status, to, fence, agentId, via }));
  if (to === 'cancelled') await releaseDependents(tx, moved, 'was cancelled');
  return moved;
}

/** It has a check that must be satisfied and is not. */
export async function isUnproven(q: Query, task: StoredTask): Promise<boolean> {
  return (await listChecks(q, task)).some(({ required, satisfied }) => required && !satisfied);
}
