import { HubError } from '../../../kernel/errors.ts';
import type { Tx } from '../../../store/database.ts';
import { deleteDependency, insertDependency, listWaiting, reaches } from '../rows/dependencies.ts';
import { isTerminal, needsHolder } from '../rules.ts';
import type { TaskLink } from '../detail.ts';
import type { StoredTask } from '../task.ts';
import type { Unit } from '../unit.ts';
import { refuseStaleFence } from './claims.ts';
import { requireTask } from './find.ts';
import { note, told } from './narration.ts';
import { startsUnready } from './refusals.ts';

/**
 * Invariant over many rows: the links have no cycle. Two opposite links at the same moment would each find none,
 * so links take turns. Proven by the race test on both engines.
 */
export const LINKS = 'board:links';

export async function link(unit: Unit, { taskId, dependsOnTaskId }: TaskLink): Promise<TaskLink> {
  const { tx } = unit;
  const task = await requireTask(unit, taskId);
  await requireTask(unit, dependsOnTaskId);
  refuseStaleFence(unit, task);
  await tx.lock(LINKS);
  if (await reaches(tx, dependsOnTaskId, taskId)) throw cycle(taskId, dependsOnTaskId);
  if (await insertDependency(tx, taskId, dependsOnTaskId))
    tx.emit(told(task, 'task.linked', { dependsOnTaskId }));
  return { taskId, dependsOnTaskId };
}

/**
 * For a task that its own unit has just made: nothing can wait for it yet, so no cycle can arise. Work that
 * has begun waits for nothing, so a task that starts with a holder may name only what is over.
 */
export async function linkNew(unit: Unit, task: StoredTask, dependsOn: readonly string[]): Promise<void> {
  for (const dependsOnTaskId of new Set(dependsOn)) {
    const awaited = await requireTask(unit, dependsOnTaskId);
    if (needsHolder(task.status) && !isTerminal(awaited.status)) throw startsUnready(task.status, awaited);
    await insertDependency(unit.tx, task.id, dependsOnTaskId);
    unit.tx.emit(told(task, 'task.linked', { dependsOnTaskId }));
  }
}

export async function unlink(unit: Unit, { taskId, dependsOnTaskId }: TaskLink): Promise<TaskLink> {
  const { tx } = unit;
  const task = await requireTask(unit, taskId);
  refuseStaleFence(unit, task);
  if (!(await deleteDependency(tx, taskId, dependsOnTaskId))) throw notLinked(taskId, dependsOnTaskId);
  tx.emit(told(task, 'task.unlinked', { dependsOnTaskId }));
  return { taskId, dependsOnTaskId };
}

/** Whoever waits for a task that will never be done hears that it no longer waits. */
export async function releaseDependents(
  tx: Tx,
  task: StoredTask,
  why: 'was cancelled' | 'was dropped',
): Promise<void> {
  for (const { id, team_id: teamId } of await listWaiting(tx, task.id)) {
    await note(tx, { id, teamId }, `${task.id} ${why}: this task no longer waits for it.`);
  }
}

function cycle(taskId: string, dependsOnTaskId: string): HubError {
  return new HubError('conflict', `linking ${taskId} to ${dependsOnTaskId} would create a dependency cycle`, {
    taskId,
    dependsOnTaskId,
    hint:
      taskId === dependsOnTaskId
        ? 'A task cannot depend on itself.'
        : 'The other task already waits for this one, directly or through others: get_task shows its dependencies.',
  });
}

function notLinked(taskId: string, dependsOnTaskId: string): HubError {
  return new HubError('not_found', `not linked: ${taskId} does not depend on ${dependsOnTaskId}`, {
    taskId,
    dependsOnTaskId,
    hint: 'get_task lists the dependencies of a task.',
  });
}
