import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Around } from '../../../operation/faces.ts';
import { actorOf } from '../../../store/calls.ts';
import type { Tx } from '../../../store/database.ts';
import { endClaim } from '../rows/claims.ts';
import { listLabels, setShelved } from '../rows/labels.ts';
import { countChild } from '../rows/limits.ts';
import { listDependencies } from '../rows/relatives.ts';
import { changeTask, reorderTask, type TaskChange } from '../rows/tasks.ts';
import {
  carryUndos,
  deleteUndo,
  forgetUndos,
  listUndos,
  lockAnyTask,
  newestUndo,
  nextOf,
  type StoredUndo,
  undos,
} from '../rows/undos.ts';
import { claimOrder, isClaimed, needsHolder } from '../rules.ts';
import { edits, fieldsOf, pick, type StoredTask } from '../task.ts';
import type { BoardSight, Unit } from '../unit.ts';
import { drop } from '../work/creation.ts';
import { link, LINKS, unlink } from '../work/dependencies.ts';
import { told } from '../work/narration.ts';
import { FREE } from '../work/reopen.ts';
import { relabel } from './labels.ts';

/**
 * A person's last changes can be taken back, newest first, as long as nobody has changed the task since. What was there
 * before is kept in the transaction of the change itself. A claim that the change ended is over: its holder was told so.
 */
const KEPT = 1_000;

/** What is told is told: these operations leave something for good in the history of a task. */
const FOR_GOOD: Readonly<Record<string, string>> = {
  add_comment: 'a comment',
  add_check: 'an acceptance check',
  submit_evidence: 'evidence',
};

type Snapshot = Readonly<{
  task: StoredTask;
  labels: string[];
  shelvedAt: number | null;
  dependencies: string[];
}>;

/** The row is held from here on: nobody comes between what was seen and what is done about it. */
async function hold(tx: Tx, taskId: string): Promise<Snapshot | undefined> {
  const found = await lockAnyTask(tx, taskId);
  if (!found) return undefined;
  const dependencies = (await listDependencies(tx, taskId, 1_000)).map(({ id }) => id);
  return { ...found, labels: await listLabels(tx, taskId), dependencies };
}

/** Runs a change and, where a person makes it, keeps what was there before. */
export async function remembering<T>(done: Around, run: () => Promise<T>): Promise<T> {
  const { tx, caller, name, args, command = null } = done;
  if (!caller.isPerson) return run();
  const before = typeof args['taskId'] === 'string' ? await hold(tx, args['taskId']) : undefined;
  const result = await run();
  const changed = args['taskId'] ?? (result as { id?: unknown }).id;
  const after = typeof changed === 'string' ? await hold(tx, changed) : undefined;
  if (!after) return result;
  const isSame = JSON.stringify(before) === JSON.stringify(after);
  if (isSame && !Object.hasOwn(FOR_GOOD, name)) return result;
  const actor = actorOf(caller).id;
  await undos.insert(tx, {
    id: newId(),
    actor,
    taskId: after.task.id,
    what: name,
    before: isSame ? undefined : (before ?? null),
    leftAt: after.task.updatedAt,
    at: tx.now,
    command,
  });
  await forgetUndos(tx, actor, KEPT);
  return result;
}

type Undone = Readonly<{ task: StoredTask; what: string; at: number; lost?: 'claim' }>;
type RefusedUndo = Readonly<{ taskId: string; what: string; why: string }>;

/** A refusal leaves something on disk, so it is no error: one that is thrown inside the transaction takes everything back. */
export type UndoOutcome = Readonly<{ undone: readonly Undone[]; refused: readonly RefusedUndo[] }>;

/**
 * All that was done in one go, newest first. What is refused is done with: the next undo is about the command before it.
 * `command` is the one that its caller was shown.
 */
export async function undo(unit: Unit, shown: string | undefined): Promise<UndoOutcome> {
  const { tx, caller } = unit;
  if (!caller.isPerson) throw new HubError('forbidden', 'Only a person may take a change back.');
  const newest = await newestUndo(tx, actorOf(caller).id);
  if (!newest) throw new HubError('not_found', 'There is no change of yours to take back.');
  if (shown !== undefined && shown !== (newest.command ?? newest.id))
    throw new HubError('conflict', 'undo failed: you have changed something else since.', {
      hint: 'Look again with `holdfast undo --list`.',
    });
  // Links take turns before rows do, as wherever they are made.
  await tx.lock(LINKS);
  const undone: Undone[] = [];
  const refused: RefusedUndo[] = [];
  // Read anew after each: what is taken back moves the time of its task, for the changes before it, too.
  for (let next: StoredUndo | undefined = newest; next; next = await nextOf(tx, newest)) {
    const outcome = await undoOne(unit, next);
    if ('why' in outcome) refused.push(outcome);
    else undone.push(outcome);
  }
  // What was said about a task that is off the board again has gone with it.
  const gone = new Set(undone.filter(({ task }) => task.dropped).map(({ task }) => task.id));
  return { undone, refused: refused.filter(({ taskId }) => !gone.has(taskId)) };
}

async function undoOne(unit: Unit, { id, ...done }: StoredUndo): Promise<Undone | RefusedUndo> {
  const { tx } = unit;
  const { taskId, what, at } = done;
  const now = await hold(tx, taskId);
  await deleteUndo(tx, id);
  if (!now) return { taskId, what, why: 'the task is no longer there' };
  if (done.before === undefined)
    return { taskId, what, why: `${FOR_GOOD[what] ?? what} cannot be taken back` };
  if (now.task.updatedAt !== done.leftAt)
    return { taskId, what, why: 'the task has been changed by somebody since' };
  const before = done.before as Snapshot | null;
  if (before === null) return { task: await drop(unit, taskId), what, at };
  const restored = await restore(unit, before, now);
  // Labels leave the time of a task as it is: then the change before bears the same one.
  for (const from of new Set([before.task.updatedAt, done.leftAt]))
    await carryUndos(tx, taskId, { from, to: restored.task.updatedAt });
  tx.emit(told(restored.task, 'task.undone'));
  return { ...restored, what, at };
}

/** What was done in one go, as a person remembers it. */
export type Undoable = Readonly<{
  command: string;
  at: number;
  changes: readonly Readonly<{ taskId: string; title: string; teamId: string | null; what: string }>[];
}>;

/** Newest first. */
export async function readUndos({ q, caller }: BoardSight, limit: number): Promise<Undoable[]> {
  if (!caller.isPerson) throw new HubError('forbidden', 'Only a person may take a change back.');
  const found = await listUndos(q, actorOf(caller).id, KEPT);
  const commands = Map.groupBy(found, ({ command, id }) => command ?? id);
  return [...commands].slice(0, limit).map(([command, changes]) => ({
    command,
    at: changes[0]!.at,
    changes: changes.map(({ taskId, title, teamId, what }) => ({ taskId, title, teamId, what })),
  }));
}

type Restored = Pick<Undone, 'task' | 'lost'>;

async function restore(unit: Unit, before: Snapshot, now: Snapshot): Promise<Restored> {
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
  return { task, ...(lost && { lost }) };
}

function missingIn(some: readonly string[], all: readonly string[]): string[] {
  return all.filter((each) => !some.includes(each));
}

function changeBack(before: StoredTask, now: StoredTask): Readonly<{ change: TaskChange; lost?: 'claim' }> {
  const { dropped, status, verification, completedAt } = before;
  const said = pick(before, fieldsOf(edits));
  const isRevised = said.title !== now.title || said.description !== now.description || status !== now.status;
  const words: TaskChange = { ...said, dropped, ...(isRevised && { revision: now.revision + 1 }) };
  const isSameClaim = isClaimed(now) && isClaimed(before) && now.fence === before.fence;
  if (isSameClaim) return { change: { ...words, status } };
  if (needsHolder(status)) return { change: { ...words, ...FREE, status: 'todo' }, lost: 'claim' };
  if (status === now.status) return { change: words };
  return { change: { ...words, ...FREE, status, verification, completedAt } };
}
