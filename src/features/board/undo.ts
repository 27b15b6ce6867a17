import { type ErrorCode, HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { actorOf, type Caller } from '../../store/acting.ts';
import type { Query, Tx } from '../../store/database.ts';
import { drop } from './creation.ts';
import { link, unlink } from './dependencies.ts';
import { relabel } from './labels.ts';
import { tell } from './narration.ts';
import { FREE } from './reopening.ts';
import { endClaim } from './rows/claims.ts';
import { listDependencies } from './rows/dependencies.ts';
import { listLabels, setShelved } from './rows/labels.ts';
import { countChild } from './rows/limits.ts';
import { changeTask, reorderTask, type TaskChange } from './rows/tasks.ts';
import {
  carryUndos,
  deleteUndo,
  findAnyTask,
  forgetUndos,
  insertUndo,
  newestUndo,
  shelvedAt,
} from './rows/undos.ts';
import { claimOrder, isClaimed, needsHolder } from './rules.ts';
import type { Settings } from './settings.ts';
import type { StoredTask } from './task.ts';

/**
 * A person's last changes can be taken back, newest first, as long as nobody has changed the task since. What was there
 * before is kept in the transaction of the change itself. A claim that the change ended is over: its holder was told so.
 */
const KEPT = 50;
/** What is told is told: it stays in the history of the task. */
const ADDS_FOR_GOOD = /\/(comments|checks|evidence)$/;
const WORDS: Readonly<Record<string, string>> = {
  comments: 'a comment',
  checks: 'an acceptance check',
  evidence: 'evidence',
};

type Snapshot = Readonly<{
  task: StoredTask;
  labels: string[];
  shelvedAt: number | null;
  dependencies: string[];
}>;

async function look(q: Query, taskId: string): Promise<Snapshot | undefined> {
  const task = await findAnyTask(q, taskId);
  if (!task) return undefined;
  const dependencies = (await listDependencies(q, taskId, 1_000)).map(({ id }) => id);
  return { task, labels: await listLabels(q, taskId), shelvedAt: await shelvedAt(q, taskId), dependencies };
}

type Change<T> = Readonly<{ taskId: string | undefined; what: string; run(): Promise<T> }>;

/** Runs a change and, where a person makes it, keeps what was there before. */
export async function remembering<T>(tx: Tx, caller: Caller, { taskId, what, run }: Change<T>): Promise<T> {
  if (!caller.isPerson) return run();
  const before = taskId === undefined ? undefined : await look(tx, taskId);
  const result = await run();
  const changed = taskId ?? (result as { id?: unknown }).id;
  const after = typeof changed === 'string' ? await look(tx, changed) : undefined;
  if (!after) return result;
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  if (isSame && !ADDS_FOR_GOOD.test(what)) return result;
  const actor = actorOf(caller).id;
  const common = {
    id: newId(),
    actor,
    taskId: after.task.id,
    what,
    leftAt: after.task.updatedAt,
    at: tx.now,
  };
  await insertUndo(tx, { ...common, before: isSame ? undefined : (before ?? null) });
  await forgetUndos(tx, actor, KEPT);
  return result;
}

export type Undone = Readonly<{ task: StoredTask; what: string; at: number; lost?: 'claim' }>;

/** A refusal that leaves something on disk. One that is thrown inside the transaction takes everything back. */
export type RefusedUndo = Readonly<{
  refused: Readonly<{ code: ErrorCode; message: string; details: object }>;
}>;

/** Refused, and done with: the next undo is about the change before it. */
export async function undo(tx: Tx, settings: Settings, caller: Caller): Promise<Undone | RefusedUndo> {
  if (!caller.isPerson) throw new HubError('forbidden', 'Only a person may take a change back.');
  const newest = await newestUndo(tx, actorOf(caller).id);
  if (!newest) throw new HubError('not_found', 'There is no change of yours to take back.');
  const { taskId, what, at } = newest;
  const now = await look(tx, taskId);
  await deleteUndo(tx, newest.id);
  if (!now) return cannot(taskId, 'the task is no longer there');
  if (newest.before === undefined)
    return cannot(taskId, `${WORDS[what.split('/').at(-1)!] ?? what} cannot be taken back`);
  if (now.task.updatedAt !== newest.leftAt)
    return cannot(taskId, 'the task has been changed by somebody since');
  const before = newest.before as Snapshot | null;
  if (before === null) return { task: await drop(tx, settings, caller, taskId), what, at };
  const restored = await restore(tx, caller, { before, now });
  // Labels leave the time of a task as it is: then the change before bears the same one.
  for (const from of new Set([before.task.updatedAt, newest.leftAt]))
    await carryUndos(tx, taskId, { from, to: restored.task.updatedAt });
  tell(tx, restored.task, 'task.undone');
  return { ...restored, what, at };
}

function cannot(taskId: string, why: string): RefusedUndo {
  const details = { taskId, hint: 'The next undo takes back the change before it.' };
  return { refused: { code: 'conflict', message: `undo failed: ${why}`, details } };
}

type Pair = Readonly<{ before: Snapshot; now: Snapshot }>;

async function restore(
  tx: Tx,
  caller: Caller,
  { before, now }: Pair,
): Promise<Readonly<{ task: StoredTask; lost?: 'claim' }>> {
  const { id, parentTaskId } = before.task;
  if (now.task.dropped && !before.task.dropped && parentTaskId !== null) await countChild(tx, parentTaskId);
  const { change, lost } = changeBack(before.task, now.task);
  if (isClaimed(now.task) && change.assigneeAgentId === null) await endClaim(tx, now.task, 'revoke');
  const task = await changeTask(tx, id, change);
  await reorderTask(tx, id, claimOrder(task.priority, task.createdAt));
  const add = before.labels.filter((label) => !now.labels.includes(label));
  const remove = now.labels.filter((label) => !before.labels.includes(label));
  await relabel(tx, caller, { taskId: id, add, remove });
  await setShelved(tx, id, before.shelvedAt);
  for (const dependsOnTaskId of now.dependencies)
    if (!before.dependencies.includes(dependsOnTaskId))
      await unlink(tx, caller, { taskId: id, dependsOnTaskId });
  for (const dependsOnTaskId of before.dependencies)
    if (!now.dependencies.includes(dependsOnTaskId)) await link(tx, caller, { taskId: id, dependsOnTaskId });
  return { task, ...(lost && { lost }) };
}

function changeBack(before: StoredTask, now: StoredTask): Readonly<{ change: TaskChange; lost?: 'claim' }> {
  const {
    title,
    description,
    priority,
    branchRef,
    worktreeRef,
    costUsd,
    dropped,
    status,
    verification,
    completedAt,
  } = before;
  const isRevised = title !== now.title || description !== now.description || status !== now.status;
  const revision = isRevised ? { revision: now.revision + 1 } : {};
  const words: TaskChange = {
    title,
    description,
    priority,
    branchRef,
    worktreeRef,
    costUsd,
    dropped,
    ...revision,
  };
  const isSameClaim = isClaimed(now) && isClaimed(before) && now.fence === before.fence;
  if (isSameClaim) return { change: { ...words, status } };
  if (needsHolder(status)) return { change: { ...words, ...FREE, status: 'todo' }, lost: 'claim' };
  if (status === now.status) return { change: words };
  return { change: { ...words, ...FREE, status, verification, completedAt } };
}
