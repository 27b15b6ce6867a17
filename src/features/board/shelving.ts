import type { Tx } from '../../store/database.ts';
import { tell } from './narration.ts';
import { listUnshelved, setShelved } from './rows/labels.ts';

const AT_ONCE = 200;

/** Puts what has been finished for so long out of sight of lists. It can still be read, found and brought back. */
export async function shelveOld(tx: Tx, olderThanMs: number): Promise<number> {
  const tasks = await listUnshelved(tx, tx.now - olderThanMs, AT_ONCE);
  for (const task of tasks) if (await setShelved(tx, task.id, tx.now)) tell(tx, task, 'task.archived');
  return tasks.length;
}
