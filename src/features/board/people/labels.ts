import { HubError } from '../../../kernel/errors.ts';
import { deleteLabel, insertLabel, listLabelled, listLabels } from '../rows/labels.ts';
import type { BoardSight, Unit } from '../unit.ts';
import { requireLocked, requireTask } from '../work/find.ts';
import { told } from '../work/narration.ts';

/** Words that people sort tasks by. They do not change what a task says. */
export const MOST_PER_TASK = 20;
const MOST_SHOWN = 10_000;

type Labelling = Readonly<{
  taskId: string;
  add?: readonly string[] | undefined;
  remove?: readonly string[] | undefined;
}>;

export async function relabel(unit: Unit, { taskId, add = [], remove = [] }: Labelling): Promise<string[]> {
  const { tx } = unit;
  const task = await requireLocked(unit, taskId);
  let changes = 0;
  for (const label of remove) if (await deleteLabel(tx, taskId, label)) changes += 1;
  for (const label of add) if (await insertLabel(tx, taskId, label)) changes += 1;
  const labels = await listLabels(tx, taskId);
  if (labels.length > MOST_PER_TASK)
    throw new HubError('limited', `A task has at most ${MOST_PER_TASK} labels.`, {
      taskId,
      hint: 'Remove some first.',
    });
  if (changes > 0) tx.emit(told(task, 'task.labelled', { labels: labels.length }));
  return labels;
}

export async function labelsOf(sight: BoardSight, taskId: string): Promise<string[]> {
  await requireTask(sight, taskId);
  return listLabels(sight.q, taskId);
}

/** Every label with the tasks in sight that have it. */
export async function allLabels({ q, caller }: BoardSight): Promise<{ label: string; taskIds: string[] }[]> {
  const found = await listLabelled(q, caller.who.bound.team, MOST_SHOWN);
  return [...Map.groupBy(found, ({ label }) => label)].map(([label, rows]) => ({
    label,
    taskIds: rows.map(({ taskId }) => taskId),
  }));
}
