import type { Database } from '../../../store/database.ts';
import { findRun } from '../rows/runs.ts';
import { isOver } from '../rules.ts';

/** Whoever wants a run to stop tells it here, whichever hub runs it. */
export function stopSubject(id: string): string {
  return `stop:${id}`;
}

/**
 * Resolves when somebody wants the run to stop, or it is over; rejects when the signal aborts or the feed is
 * closed.
 */
export async function untilStopped(db: Database, id: string, signal: AbortSignal): Promise<void> {
  const isStopped = async () => {
    const run = await db.read((q) => findRun(q, id));
    return !run || run.reason === 'cancelling' || isOver(run.state) ? true : undefined;
  };
  await db.feed.until(stopSubject(id), isStopped, signal);
}
