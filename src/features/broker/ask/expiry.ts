// Tells that a request ran out at the moment it does: who looks at it need not ask again.
import type { Log } from '../../../kernel/log.ts';
import type { Database } from '../../../store/database.ts';
import { soonestExpiry } from '../rows/approvals.ts';

export interface Expiry {
  /** A request that runs out then. One timer is for the soonest of all. */
  watch(at: number): void;
  /** Watches what was open before this hub began. */
  lookAhead(): Promise<void>;
  close(): void;
}

/** A timer may wake a moment before the clock agrees; it then sleeps once more, never in a tight circle. */
const SHORTEST_MS = 10;
const LONGEST_MS = 2 ** 31 - 1;

type ExpiryParts = Readonly<{ db: Database; log: Log; sweep(): Promise<unknown> }>;

export function createExpiry({ db, log, sweep }: ExpiryParts): Expiry {
  let timer: NodeJS.Timeout | undefined;
  let due = Infinity;
  let isClosed = false;

  function watch(at: number): void {
    if (isClosed || at >= due) return;
    due = at;
    clearTimeout(timer);
    timer = setTimeout(() => void tell(), Math.min(LONGEST_MS, Math.max(SHORTEST_MS, at - db.now())));
    timer.unref();
  }

  async function tell(): Promise<void> {
    due = Infinity;
    try {
      await sweep();
      await lookAhead();
    } catch (error) {
      // The sweep that comes every half minute does it all the same.
      if (!isClosed) log.warn('requests that ran out could not be told of in time', { error });
    }
  }

  async function lookAhead(): Promise<void> {
    if (isClosed) return;
    const soonest = await db.read((q) => soonestExpiry(q));
    if (soonest !== undefined) watch(soonest);
  }

  return {
    watch,
    lookAhead,
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
