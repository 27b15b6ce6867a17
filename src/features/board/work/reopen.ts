import { HubError } from '../../../kernel/errors.ts';
import { calledByOthers } from '../../../kernel/person-name.ts';
import { actorOf } from '../../../store/calls.ts';
import { setShelved } from '../rows/labels.ts';
import { changeTask, type TaskChange } from '../rows/tasks.ts';
import { isTerminal } from '../rules.ts';
import type { StoredTask } from '../task.ts';
import type { Unit } from '../unit.ts';
import { requireLocked } from './find.ts';
import { note, told } from './narration.ts';

/** What nobody holds. */
export const FREE: TaskChange = {
  assigneeAgentId: null,
  assigneeRuntime: null,
  seat: null,
  awaited: false,
  assignedBy: null,
  assignedSeat: null,
  claimedAt: null,
  leaseUntil: null,
  completedAt: null,
  verification: null,
};

/**
 * For agents done is done: what waited for it has gone on. A person may say that it was not, and then it is work
 * like any other: free to be claimed, with its evidence to be given anew.
 */
export async function reopen(unit: Unit, taskId: string): Promise<StoredTask> {
  const { tx, caller } = unit;
  if (!caller.isPerson)
    throw new HubError('forbidden', 'Only a person may reopen a task.', {
      hint: 'Create a new task instead.',
    });
  const task = await requireLocked(unit, taskId);
  if (!isTerminal(task.status))
    throw new HubError('conflict', `${taskId} is ${task.status}: there is nothing to reopen.`, {
      taskId,
      status: task.status,
    });
  const opened = await changeTask(tx, taskId, { ...FREE, status: 'todo', revision: task.revision + 1 });
  await setShelved(tx, taskId, null);
  await note(tx, task, `Reopened by ${calledByOthers(actorOf(caller).id)}; it was ${task.status}.`);
  tx.emit(told(opened, 'task.reopened', { from: task.status }));
  return opened;
}
