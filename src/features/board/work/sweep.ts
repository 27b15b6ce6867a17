import { dayOf } from '../../../kernel/day.ts';
import type { Tx } from '../../../store/database.ts';
import { giveBack } from './moves.ts';
import { at, note, told } from './narration.ts';
import { withSigns } from './find.ts';
import { listLapsed, renewTask, shortenLeases } from '../rows/claims.ts';
import { forgetWindows } from '../rows/limits.ts';
import { takeOverdue } from '../rows/tasks.ts';
import { isLapsed } from '../rules.ts';
import type { Settings } from '../settings.ts';

const AT_ONCE = 200;

/**
 * Tidies only: expiry is decided when reading, so nothing waits for the sweep. Answers how many tasks went
 * back to todo or were told to be overdue; a full batch means there may be more.
 */
export async function sweep(tx: Tx, settings: Settings): Promise<number> {
  if (settings.leaseMs > 0) await shortenLeases(tx, tx.now + longestLease(tx, settings));
  if (settings.limits.rootWindowMs > 0) await forgetWindows(tx, tx.now - 2 * settings.limits.rootWindowMs);
  let freed = 0;
  for (const stored of await listLapsed(tx, AT_ONCE)) {
    const task = withSigns(stored, settings.renewals);
    if (!isLapsed(task, tx.now)) {
      await renewTask(tx, task, task.leaseUntil!);
      continue;
    }
    await giveBack(tx, task, 'lapse');
    await note(
      tx,
      task,
      `The lease of ${task.assigneeAgentId} ran out at ${at(task.leaseUntil)}: the task is back in todo.`,
    );
    freed += 1;
  }
  return freed + (await tellOverdue(tx));
}

/** Which day it is where the hub stands. */
function dayAt(now: number): string {
  return dayOf(now - new Date(now).getTimezoneOffset() * 60_000);
}

async function tellOverdue(tx: Tx): Promise<number> {
  const passed = await takeOverdue(tx, dayAt(tx.now), AT_ONCE);
  for (const task of passed) tx.emit(told(task, 'task.overdue', { due: task.due }));
  return passed.length;
}

/** Hubs on one PostgreSQL may grant longer leases than this one, by a clock that nobody here can set back. */
function longestLease(tx: Tx, { leaseMs, longestMs }: Settings): number {
  return tx.dialect.isShared ? Math.max(leaseMs, longestMs) : leaseMs;
}
