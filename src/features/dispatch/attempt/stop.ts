import type { Database } from '../../../store/database.ts';
import { findRun, type HeldRun } from '../rows/runs.ts';
import { isOver } from '../rules.ts';

/** Whoever wants a run to stop tells it here, whichever hub runs it. */
export function stopSubject(id: string): string {
  return `stop:${id}`;
}

/**
 * Resolves when somebody wants the run to stop, or it is over, or it is another attempt's than
 * this; rejects when the signal aborts or the feed is closed.
 */
export function untilStopped(
  db: Database,
  { id, fence }: HeldRun,
  signal: AbortSignal,
): Promise<'cancel' | 'taken'> {
  const whyStopped = async () => {
    const run = await db.read((q) => findRun(q, id));
    if (!run || isOver(run.state) || (fence !== undefined && run.fence !== fence)) return 'taken';
    return run.reason === 'cancelling' ? 'cancel' : undefined;
  };
  return db.feed.until(stopSubject(id), whyStopped, signal);
}
