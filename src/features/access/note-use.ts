import type { Log } from '../../kernel/log.ts';
import { systemActor } from '../../kernel/principal.ts';
import type { Database, Tx } from '../../store/database.ts';

/** How exact `usedAt` is. */
const NOTE_USE_EVERY = 5 * 60_000;

/** Notes when a token was used. Not part of the answer: a use that could not be noted is no reason to refuse it. */
export function createNoteUse(
  { db, log }: Readonly<{ db: Database; log: Log }>,
  mark: (tx: Tx, id: string) => Promise<unknown>,
): (id: string) => void {
  const notedAt = new Map<string, number>();
  return (id) => {
    const now = db.elapsed();
    if (now - (notedAt.get(id) ?? -Infinity) < NOTE_USE_EVERY) return;
    notedAt.set(id, now);
    db.write(systemActor, (tx) => mark(tx, id)).catch((error: unknown) =>
      log.debug('the use of a token was not noted', { id, error }),
    );
  };
}
