import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Caller } from '../../store/acting.ts';
import type { Query, Tx } from '../../store/database.ts';
import { tell } from './narration.ts';
import { requireLocked, requireTask } from './reading.ts';
import {
  deleteLabel,
  insertLabel,
  listLabelled,
  listLabels,
  setShelved,
  type Labelled,
} from './rows/labels.ts';
import { isTerminal } from './rules.ts';

/** Words that people sort tasks by, and putting finished ones out of sight. Neither changes what a task says. */
export const MOST_PER_TASK = 20;
const MOST_SHOWN = 10_000;

export type Labelling = Readonly<{ taskId: string; add: readonly string[]; remove: readonly string[] }>;

export async function relabel(tx: Tx, caller: Caller, { taskId, add, remove }: Labelling): Promise<string[]> {
  const task = await requireLocked(tx, caller.who, taskId);
  let changes = 0;
  for (const label of remove) if (await deleteLabel(tx, taskId, label)) changes += 1;
  for (const label of add) if (await insertLabel(tx, taskId, label)) changes += 1;
  const labels = await listLabels(tx, taskId);
  if (labels.length > MOST_PER_TASK)
    throw new HubError('limited', `A task has at most ${MOST_PER_TASK} labels.`, {
      taskId,
      hint: 'Remove some first.',
    });
  if (changes > 0) tell(tx, task, 'task.labelled', { labels: labels.length });
  return labels;
}

export async function labelsOf(q: Query, who: Principal, taskId: string): Promise<string[]> {
  await requireTask(q, who, taskId);
  return listLabels(q, taskId);
}

export function allLabelled(q: Query, who: Principal): Promise<Labelled[]> {
  return listLabelled(q, who.bound.team, MOST_SHOWN);
}

export type Shelving = Readonly<{ taskId: string; archived: boolean }>;

export async function shelve(tx: Tx, caller: Caller, { taskId, archived }: Shelving): Promise<Shelving> {
  const task = await requireLocked(tx, caller.who, taskId);
  if (archived && !isTerminal(task.status))
    throw new HubError(
      'conflict',
      `${taskId} is ${task.status}: only what is done or cancelled can be archived.`,
      {
        taskId,
        status: task.status,
        hint: 'Finish or cancel it first.',
      },
    );
  if (await setShelved(tx, taskId, archived ? tx.now : null))
    tell(tx, task, archived ? 'task.archived' : 'task.unarchived');
  return { taskId, archived };
}
