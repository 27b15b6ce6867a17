import type { Log } from '../../kernel/log.ts';
import { createCoalesced } from '../../store/coalesced.ts';
import type { Database, Tx } from '../../store/database.ts';
import { renewSeat, renewTask } from './rows/claims.ts';

/**
 * Signs of life, kept in memory and written together every few seconds: a lease renewal is no event and no
 * durable write of its own. Whoever decides in this process that a lease lapsed asks here first; another hub
 * sees a renewal after at most one flush, which is a small part of any lease.
 */
export interface Renewals {
  /** The seat is alive, as of that moment: everything it holds lives on. */
  touchSeat(seat: string, at?: number): void;
  /** The holder of this claim is alive. */
  touchClaim(taskId: string, fence: number): void;
  /** The lease end that signs not yet written would give; undefined when there are none. */
  leaseOf(claim: Readonly<{ id: string; fence: number; seat: string | null }>): number | undefined;
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type RenewalOptions = Readonly<{ db: Database; leaseMs: number; log: Log; flushMs?: number }>;

/** `renew` writes it down: for all that a seat holds, or for one claim. */
type Sign = { at: number; renew(tx: Tx, leaseUntil: number): Promise<void> };

export function createRenewals({
  db,
  leaseMs,
  log,
  flushMs = defaultFlush(leaseMs),
}: RenewalOptions): Renewals {
  const signs = createCoalesced<Sign>({
    db,
    log,
    what: 'Lease renewals',
    everyMs: flushMs,
    write: (tx, _, sign) => sign.renew(tx, leaseFrom(sign)),
  });

  function touch(key: string, renew: Sign['renew'], at = db.now()): void {
    if (leaseMs > 0) signs.set(key, { at, renew });
  }

  /** A sign from the future was given before the clock went back: it counts from when that is noticed. */
  function leaseFrom(sign: Sign): number {
    sign.at = Math.min(sign.at, db.now());
    return sign.at + leaseMs;
  }

  return {
    touchSeat: (seat, at) => touch(ofSeat(seat), (tx, until) => renewSeat(tx, seat, until), at),
    touchClaim: (taskId, fence) =>
      touch(ofClaim(taskId, fence), (tx, until) => renewTask(tx, taskId, fence, until)),
    leaseOf({ id, fence, seat }) {
      const given = [
        signs.get(ofClaim(id, fence)),
        seat === null ? undefined : signs.get(ofSeat(seat)),
      ].filter((sign) => sign !== undefined);
      return given.length === 0 ? undefined : Math.max(...given.map(leaseFrom));
    },
    flush: signs.flush,
    close: signs.close,
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
