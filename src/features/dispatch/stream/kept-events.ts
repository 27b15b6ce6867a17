// The events of a run on their way into the database: under the fence of its attempt, and no more than are kept.
import type { Actor } from '../../../kernel/principal.ts';
import type { Database } from '../../../store/database.ts';
import { dropEventsBefore } from '../rows/events.ts';
import { findRun } from '../rows/runs.ts';
import type { Run } from '../run.ts';
import { appendEvents, type NewRunEvent } from './events.ts';

/** The oldest are dropped when so many more have come, not one by one. */
const DROP_STEP = 256;

type KeptParts = Readonly<{
  db: Database;
  run: Run;
  actor: Actor;
  /** The run is not this attempt's any more. */ lost(): void;
}>;

export function keepEvents({ db, run, actor, lost }: KeptParts) {
  const { frames } = run.limits;
  let added = 0;
  return async (batch: readonly NewRunEvent[]): Promise<void> => {
    const isTaken = await db.write(actor, (tx) => appendEvents(tx, run, batch));
    if (!isTaken) return lost();
    added += batch.length;
    if (added < Math.min(DROP_STEP, frames)) return undefined;
    added = 0;
    return db.write(actor, async (tx) => {
      const now = await findRun(tx, run.id);
      if (now) await dropEventsBefore(tx, run.id, now.nextEvent - frames);
    });
  };
}
