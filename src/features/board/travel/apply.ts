// What a line from elsewhere changes of a task here, field by field.
import { endClaim } from '../rows/claims.ts';
import { deleteLabel, insertLabel, listLabels } from '../rows/labels.ts';
import { countChild, uncountChild } from '../rows/limits.ts';
import { changeTask, reorderTask, type TaskChange } from '../rows/tasks.ts';
import { MOST_PER_TASK } from '../people/labels.ts';
import { claimOrder, isClaimed, isLapsed, isTerminal } from '../rules.ts';
import type { Status, StoredTask } from '../task.ts';
import { releaseDependents } from '../work/dependencies.ts';
import { told } from '../work/narration.ts';
import { FREE } from '../work/reopen.ts';
import { isUnproven, settle } from '../work/settle.ts';
import { isSetAside } from './aside.ts';
import { FOREIGN, type TaskHere, readHere, valueIn, type Values } from './here.ts';
import { isLabel, isSameValue, LABEL, type LineFields } from './line.ts';
import type { Taking } from './taken-lines.ts';

export type Applied = Readonly<{ task: StoredTask; here: TaskHere; merged: LineFields }>;

const WORDS = ['title', 'description', 'priority', 'due', 'externalId'] as const;

/** What a task that is known says from now on. What is not followed is told, and stays in the file. Links come last of all. */
export async function applyFields(taking: Taking, applied: Applied): Promise<Values> {
  const { tx, report } = taking;
  const { here, merged } = applied;
  const wants = (field: string) =>
    merged[field] !== undefined && !isSameValue(merged[field][0], valueIn(here.values, field));
  let task = applied.task;
  if (wants('dropped')) task = await (task.dropped ? restore : drop)(taking, applied);
  if (!task.dropped) {
    task = await reword(taking, task, { merged, wants });
    if (wants('status')) task = await move(taking, task, merged);
    if (wants('parentTaskId') && merged['parentTaskId']![1] !== here.kept['parentTaskId']?.at)
      keep(taking, task, { field: 'parentTaskId', why: 'a task stays where it was made' });
    if ((await relabel(taking, task, { merged, wants })) && task === applied.task) report.changed += 1;
  }
  if (task !== applied.task && !task.dropped) report.changed += 1;
  return (await readHere(tx, [task], taking)).get(task.id)!.values;
}

type Wanted = Readonly<{ merged: LineFields; wants(field: string): boolean }>;

function keep(
  { report }: Taking,
  { id, title }: StoredTask,
  said: Readonly<{ field: string; why: string }>,
): void {
  report.kept.push({ id, title, ...said });
}

/** Somebody here is at it, and would lose it to a file. */
function holderOf({ tx, isTrusted }: Taking, task: StoredTask): string | undefined {
  const isHeld = isClaimed(task) && !isLapsed(task, tx.now);
  return isHeld && !isTrusted ? task.assigneeAgentId! : undefined;
}

async function drop(taking: Taking, { task }: Applied): Promise<StoredTask> {
  const { tx, report } = taking;
  const holder = holderOf(taking, task);
  if (holder !== undefined) {
    keep(taking, task, { field: 'dropped', why: `${holder} is at it` });
    return task;
  }
  await endClaim(tx, task, 'dropped');
  const dropped = await changeTask(tx, task.id, { dropped: true, seat: null, leaseUntil: null });
  if (task.parentTaskId !== null) await uncountChild(tx, task.parentTaskId);
  tx.emit(told(dropped, 'task.dropped', { via: 'sync' }));
  if (!isTerminal(task.status)) await releaseDependents(tx, dropped, 'was dropped');
  report.dropped += 1;
  return dropped;
}

/**
 * Somebody elsewhere took the dropping back. A claim that ended with it is over. What the person here took back with the sync
 * that brought it stays off until they say otherwise, and then it is new once more.
 */
async function restore(taking: Taking, { task, here }: Applied): Promise<StoredTask> {
  const { tx, isAgain, isTrusted, report } = taking;
  const isAside = isSetAside(here.kept);
  if (isAside && !isAgain) {
    report.aside += 1;
    return task;
  }
  if (task.parentTaskId !== null) await countChild(tx, task.parentTaskId);
  const isOver = isTerminal(task.status);
  const known = task.assigneeAgentId === null ? task.status : 'todo';
  const status = isAside && !isTrusted ? 'backlog' : known;
  const restored = await changeTask(tx, task.id, { dropped: false, ...(!isOver && { ...FREE, status }) });
  if (isAside && !isTrusted) await mark(taking, restored);
  tx.emit(told(restored, 'task.undone', { via: 'sync' }));
  return restored;
}

async function reword(taking: Taking, task: StoredTask, { merged, wants }: Wanted): Promise<StoredTask> {
  const { tx, isTrusted } = taking;
  const fields = WORDS.filter(wants);
  if (fields.length === 0) return task;
  const isRevised = fields.includes('title') || fields.includes('description');
  const change = Object.fromEntries(fields.map((field) => [field, merged[field]![0]])) as TaskChange;
  const changed = await changeTask(tx, task.id, {
    ...change,
    ...(isRevised && { revision: task.revision + 1 }),
  });
  if (fields.includes('priority'))
    await reorderTask(tx, task.id, claimOrder(changed.priority, changed.createdAt));
  tx.emit(told(changed, 'task.updated', { fields: fields.join(','), via: 'sync' }));
  if (isRevised && !isTrusted) await mark(taking, changed);
  return changed;
}

async function mark(taking: Taking, task: StoredTask): Promise<void> {
  const labels = await listLabels(taking.tx, task.id);
  if (labels.includes(FOREIGN)) return;
  if (labels.length < MOST_PER_TASK) await insertLabel(taking.tx, task.id, FOREIGN);
  else keep(taking, task, { field: `${LABEL}${FOREIGN}`, why: `it has ${MOST_PER_TASK} labels already` });
}

async function move(taking: Taking, task: StoredTask, merged: LineFields): Promise<StoredTask> {
  const { tx, isTrusted, person } = taking;
  const [to, , by] = merged['status']! as readonly [Status, number, string];
  const stays = (why: string) => {
    keep(taking, task, { field: 'status', why });
    return task;
  };
  const holder = holderOf(taking, task);
  if (holder !== undefined) return stays(`${holder} is at it`);
  // It waits for a person to say that it is work here, however often the file says so.
  if (!isTrusted && task.status === 'backlog' && !isTerminal(to) && (await isForeign(taking, task)))
    return task;
  const isOverriding = to === 'done' && (await isUnproven(tx, task));
  if (isOverriding && !isTrusted) return stays('it has checks that are not satisfied here');
  const override = isOverriding ? { by: person, reason: 'board sync --trust' } : undefined;
  return settle(tx, task, { to, by, via: 'sync', override });
}

async function isForeign({ tx }: Taking, { id }: StoredTask): Promise<boolean> {
  return (await listLabels(tx, id)).includes(FOREIGN);
}

/** Each label for itself: what two people added at the same time is both there. Answers whether anything changed. */
async function relabel(taking: Taking, task: StoredTask, { merged, wants }: Wanted): Promise<boolean> {
  const { tx, isTrusted } = taking;
  const fields = Object.keys(merged).filter((field) => isLabel(field) && wants(field));
  let count = (await listLabels(tx, task.id)).length;
  let changes = 0;
  for (const field of fields.filter((each) => merged[each]![0] === false)) {
    if (await deleteLabel(tx, task.id, field.slice(LABEL.length)))
      [count, changes] = [count - 1, changes + 1];
  }
  for (const field of fields.filter((each) => merged[each]![0] === true).sort()) {
    if (count >= MOST_PER_TASK) keep(taking, task, { field, why: `it has ${MOST_PER_TASK} labels already` });
    else if (await insertLabel(tx, task.id, field.slice(LABEL.length)))
      [count, changes] = [count + 1, changes + 1];
  }
  // Whoever trusts the file has looked at it.
  if (isTrusted && (await deleteLabel(tx, task.id, FOREIGN))) changes += 1;
  if (changes > 0) tx.emit(told(task, 'task.labelled', { labels: count, via: 'sync' }));
  return changes > 0;
}
