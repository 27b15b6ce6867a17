import type { Log } from '../../../kernel/log.ts';
import { createCoalesced } from '../../../store/coalesced.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { renewSeat, renewTask } from '../rows/claims.ts';

/**
 * Signs of life, kept in memory and written together every few seconds: a lease renewal is no event and no
 * durable write of its own. Whoever decides in this process that a lease lapsed asks here first; another hub
 * sees a renewal after at most one flush, which is a small part of any lease.
 *
 * They are measured by what has passed and kept for one lease, so that no claim of a living holder lapses when
 * somebody sets the clock ahead or the machine slept, and none outlives its holder when it is set back
 * (test/contract/board-leases.test.ts).
 */
export interface Renewals {
  /** The seat gave a sign of life, which counts from so long ago: everything it holds lives on. */
  touchSeat(seat: string, agoMs?: number): void;
  /** The holder of this claim is alive. */
  touchClaim(taskId: string, fence: number): void;
  /** The lease end that signs within the last lease give; undefined when there are none. */
  leaseOf(claim: Readonly<{ id: string; fence: number; seat: string | null }>): number | undefined;
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type RenewalOptions = Readonly<{ db: Database; leaseMs: number; log: Log; flushMs?: number }>;

/** `renew` writes it down: for all that a seat holds, or for one claim. */
type Renew = (tx: Tx, leaseUntil: number) => Promise<void>;

export function createRenewals({
  db,
  leaseMs,
  log,
  flushMs = defaultFlush(leaseMs),
}: RenewalOptions): Renewals {
  /** When each counts from, the latest last. */
  const signs = new Map<string, number>();
  const unwritten = createCoalesced<Renew>({
    db,
    log,
    what: 'Lease renewals',
    everyMs: flushMs,
    write: async (tx, key, renew) => {
      const until = leaseFrom(key, tx.now);
      if (until !== undefined) await renew(tx, until);
    },
  });

  function touch(key: string, renew: Renew, agoMs = 0): void {
    if (leaseMs === 0) return;
    const now = db.elapsed();
    signs.delete(key);
    signs.set(key, now - agoMs);
    for (const [old, at] of signs) {
      if (now - at <= leaseMs) break;
      signs.delete(old);
    }
    unwritten.set(key, renew);
  }

  function leaseFrom(key: string, now: number): number | undefined {
    const at = signs.get(key);
    return at === undefined ? undefined : Math.round(now + leaseMs - (db.elapsed() - at));
  }

  return {
    touchSeat: (seat, agoMs) => touch(ofSeat(seat), (tx, until) => renewSeat(tx, seat, until), agoMs),
    touchClaim: (taskId, fence) =>
      touch(ofClaim(taskId, fence), (tx, until) => renewTask(tx, { id: taskId, fence }, until)),
    leaseOf({ id, fence, seat }) {
      const now = db.now();
      const given = [
        leaseFrom(ofClaim(id, fence), now),
        seat === null ? undefined : leaseFrom(ofSeat(seat), now),
      ].filter((until) => until !== undefined);
      return given.length === 0 ? undefined : Math.max(...given);
    },
    flush: unwritten.flush,
    close: unwritten.close,
  };
}

function ofSeat(seat: string): string {
  return `seat ${seat}`;
}

function ofClaim(taskId: string, fence: number): string {
  return `claim ${taskId} ${fence}`;
}

function defaultFlush(leaseMs: number): number {
  return Math.max(50, Math.min(5_000, leaseMs / 10));
}
