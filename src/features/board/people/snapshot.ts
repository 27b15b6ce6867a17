// A task as it stands, with what stands beside it; and back to that.
import type { Tx } from '../../../store/database.ts';
import { endClaim } from '../rows/claims.ts';
import { type Detail, deleteDetail } from '../rows/transfer.ts';
import { listLabels, setShelved } from '../rows/labels.ts';
import { countChild } from '../rows/limits.ts';
import { listDependencies } from '../rows/relatives.ts';
import { type SaidThere, writeSaid } from '../rows/said.ts';
import { changeTask, reorderTask, type TaskChange } from '../rows/tasks.ts';
import { lockAnyTask } from '../rows/undos.ts';
import { claimOrder, isClaimed, needsHolder } from '../rules.ts';
import { edits, fieldsOf, pick, type StoredTask } from '../task.ts';
import type { Unit } from '../unit.ts';
import { link, unlink } from '../work/dependencies.ts';
import { FREE } from '../work/reopen.ts';
import { relabel } from './labels.ts';

export type Snapshot = Readonly<{
  task: StoredTask;
  labels: string[];
  shelvedAt: number | null;
  dependencies: string[];
  said?: SaidThere;
  /** What an import added to it. */
  brought?: readonly Detail[];
}>;

/** The row is held from here on: nobody comes between what was seen and what is done about it. */
export async function hold(tx: Tx, taskId: string): Promise<Snapshot | undefined> {
  const found = await lockAnyTask(tx, taskId);
  if (!found) return undefined;
  const dependencies = (await listDependencies(tx, taskId, 1_000)).map(({ id }) => id);
  return { ...found, labels: await listLabels(tx, taskId), dependencies };
}

type Restored = Readonly<{ task: StoredTask; lost?: 'claim' }>;

export async function restore(unit: Unit, before: Snapshot, now: Snapshot): Promise<Restored> {
  const { tx } = unit;
  const { id, parentTaskId } = before.task;
  if (now.task.dropped && !before.task.dropped && parentTaskId !== null) await countChild(tx, parentTaskId);
  const { change, lost } = changeBack(before.task, now.task);
  if (isClaimed(now.task) && change.assigneeAgentId === null) await endClaim(tx, now.task, 'revoke');
  const task = await changeTask(tx, id, change);
  await reorderTask(tx, id, claimOrder(task.priority, task.createdAt));
  const add = missingIn(now.labels, before.labels);
  const remove = missingIn(before.labels, now.labels);
  await relabel(unit, { taskId: id, add, remove });
  await setShelved(tx, id, before.shelvedAt);
  for (const dependsOnTaskId of missingIn(before.dependencies, now.dependencies))
    await unlink(unit, { taskId: id, dependsOnTaskId });
  for (const dependsOnTaskId of missingIn(now.dependencies, before.dependencies))
    await link(unit, { taskId: id, dependsOnTaskId });
  if (JSON.stringify(before.said) !== JSON.stringify(now.said)) await writeSaid(tx, id, before.said);
  for (const each of (before.brought ?? []).toReversed()) await deleteDetail(tx, each);
  return { task, ...(lost && { lost }) };
}

function missingIn(some: readonly string[], all: readonly string[]): string[] {
  return all.filter((each) => !some.includes(each));
}

function changeBack(before: StoredTask, now: StoredTask): Readonly<{ change: TaskChange; lost?: 'claim' }> {
  const { dropped, status, verification, completedAt } = before;
  const said = { ...pick(before, fieldsOf(edits)), externalId: before.externalId };
  const isRevised = said.title !== now.title || said.description !== now.description || status !== now.status;
  const words: TaskChange = { ...said, dropped, ...(isRevised && { revision: now.revision + 1 }) };
  const isSameClaim = isClaimed(now) && isClaimed(before) && now.fence === before.fence;
  if (isSameClaim) return { change: { ...words, status } };
  if (needsHolder(status)) return { change: { ...words, ...FREE, status: 'todo' }, lost: 'claim' };
  if (status === now.status) return { change: words };
  return { change: { ...words, ...FREE, status, verification, completedAt } };
}
