import { HubError } from '../../../kernel/errors.ts';
import type { Tx } from '../../../store/database.ts';
import { listUnshelved, setShelved } from '../rows/labels.ts';
import { isTerminal } from '../rules.ts';
import type { Unit } from '../unit.ts';
import { requireLocked } from '../work/find.ts';
import { told } from '../work/narration.ts';

/** What is finished can be put out of sight of lists. It can still be read, found and brought back. */
type Shelving = Readonly<{ taskId: string; archived: boolean }>;

export async function shelve(unit: Unit, { taskId, archived }: Shelving): Promise<Shelving> {
  const { tx } = unit;
  const task = await requireLocked(unit, taskId);
  if (archived && !isTerminal(task.status))
    throw new HubError(
      'conflict',
      `${taskId} is ${task.status}: only what is done or cancelled can be archived.`,
      { taskId, status: task.status, hint: 'Finish or cancel it first.' },
    );
  if (await setShelved(tx, taskId, archived ? tx.now : null))
    tx.emit(told(task, archived ? 'task.archived' : 'task.unarchived'));
  return { taskId, archived };
}

const AT_ONCE = 200;

/** Puts away what has been finished for so long; answers how many. */
export async function shelveOld(tx: Tx, olderThanMs: number): Promise<number> {
  const tasks = await listUnshelved(tx, tx.now - olderThanMs, AT_ONCE);
  for (const task of tasks) if (await setShelved(tx, task.id, tx.now)) tx.emit(told(task, 'task.archived'));
  return tasks.length;
}
