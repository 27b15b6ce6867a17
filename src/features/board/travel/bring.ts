import { holdTask } from '../rows/imports.ts';
import { insertLabel } from '../rows/labels.ts';
import { countChild } from '../rows/limits.ts';
import { findTask, insertTask } from '../rows/tasks.ts';
import { claimOrder, isTerminal } from '../rules.ts';
import { BLANK, INSIDE, type Status, type StoredTask } from '../task.ts';
import { told } from '../work/narration.ts';
import { FOREIGN, readHere, type Values } from './here.ts';
import { isLabel, LABEL, type LineFields, titleIn } from './line.ts';
import { MOST_PER_TASK } from '../people/labels.ts';
import type { Taking } from './taken-lines.ts';

/**
 * A task that is not here yet. What somebody else wrote waits in the backlog, where no agent takes it, until a person says
 * otherwise; what is over is over.
 */
export async function bringTask(taking: Taking, id: string, merged: LineFields): Promise<Values> {
  const { tx, teamId, isTrusted, importId } = taking;
  const said = <T>(field: string, otherwise: T): T => (merged[field]?.[0] as T | undefined) ?? otherwise;
  const wanted = said<Status>('status', 'todo');
  const status = isTrusted || isTerminal(wanted) ? wanted : 'backlog';
  const parent = await parentFor(taking, id, merged);
  const createdAt = Math.min(said('createdAt', tx.now), tx.now);
  const finishedAt = Math.min(merged['status']?.[1] ?? tx.now, tx.now);
  const task: StoredTask = {
    ...BLANK,
    ...INSIDE,
    id,
    teamId,
    title: said('title', ''),
    description: said('description', null),
    priority: said('priority', 0),
    due: said('due', null),
    externalId: said('externalId', null),
    status,
    parentTaskId: parent?.id ?? null,
    depth: parent ? parent.depth + 1 : 1,
    dropped: false,
    scheduledBy: 'sync',
    createdAt,
    updatedAt: tx.now,
    completedAt: isTerminal(status) ? finishedAt : null,
    ...(status === 'done' && {
      assigneeAgentId: merged['status']?.[2] ?? 'sync',
      fence: 1,
      claimedAt: createdAt,
    }),
  };
  if (parent) await countChild(tx, parent.id);
  await insertTask(tx, task, claimOrder(task.priority, task.createdAt));
  if (!isTerminal(status)) await holdTask(tx, id, importId);
  await addLabels(taking, task, merged);
  tx.emit(told(task, 'task.imported', { status, via: 'sync' }));
  await taking.bringing.added(tx, id);
  taking.report.created += 1;
  return (await readHere(tx, [task], taking)).get(id)!.values;
}

async function addLabels(
  { tx, isTrusted, report }: Taking,
  { id, title }: StoredTask,
  merged: LineFields,
): Promise<void> {
  const labels = Object.keys(merged)
    .filter((field) => isLabel(field) && merged[field]![0] === true)
    .map((field) => field.slice(LABEL.length))
    .sort();
  const all = isTrusted ? labels : [FOREIGN, ...labels];
  for (const label of all.slice(0, MOST_PER_TASK)) await insertLabel(tx, id, label);
  for (const label of all.slice(MOST_PER_TASK))
    report.kept.push({ id, title, field: `${LABEL}${label}`, why: `it has ${MOST_PER_TASK} labels already` });
}

/** One that is not here, or stands too deep, is no parent: the task stands alone. */
async function parentFor(
  { tx, teamId, depth, report }: Taking,
  id: string,
  merged: LineFields,
): Promise<StoredTask | undefined> {
  const parentId = merged['parentTaskId']?.[0] as string | null | undefined;
  if (parentId === null || parentId === undefined) return undefined;
  const parent = await findTask(tx, parentId);
  const why =
    parent?.teamId !== teamId
      ? 'its parent is not on this board'
      : depth > 0 && parent.depth >= depth
        ? `its parent is at level ${parent.depth} already`
        : undefined;
  if (why === undefined) return parent;
  report.kept.push({ id, title: titleIn(merged), field: 'parentTaskId', why });
  return undefined;
}
