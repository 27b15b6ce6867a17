import type { Database } from '../../../store/database.ts';
import { hasDue, nextDue, type MailReader } from '../rows/mailbox.ts';
import { inboxSubject } from '../rules.ts';

/** False when the waiting was ended. Looks again when mail comes in and when something falls due without an event. */
export type MailWait = (reader: MailReader, signal: AbortSignal) => Promise<boolean>;

export function createMailWait(db: Database): MailWait {
  return async (reader, signal) => {
    while (!signal.aborted) {
      const { isDue, next } = await db.read(async (q) => ({
        isDue: await hasDue(q, reader, db.now()),
        next: await nextDue(q, reader, db.now()),
      }));
      if (isDue) return true;
      const nextLook = next === undefined ? undefined : AbortSignal.timeout(Math.max(100, next - db.now()));
      try {
        await db.feed.until(
          inboxSubject(reader),
          async () => ((await db.read((q) => hasDue(q, reader, db.now()))) ? true : undefined),
          nextLook ? AbortSignal.any([signal, nextLook]) : signal,
        );
        return true;
      } catch (error) {
        if (!nextLook?.aborted && !signal.aborted) throw error;
      }
    }
    return false;
  };
}
