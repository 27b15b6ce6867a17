import type { Log } from '../../kernel/log.ts';
import { systemActor } from '../../kernel/principal.ts';
import type { Database, Tx } from '../../store/database.ts';
import { leaveUnit } from '../../store/unit.ts';
import { renewSeat, renewTask } from './rows/claims.ts';

/**
 * Signs of life, kept in memory and written together every few seconds: a lease renewal is no event and no
 * durable write of its own. Whoever decides in this process that a lease lapsed asks here first; another hub
 * sees a renewal after at most one flush, which is a small part of any lease.
 */
export interface Renewals {
  /** The seat is alive: everything it holds lives on. */
  touchSeat(seat: string): void;
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

export function createRenewals({ db, leaseMs, log, flushMs = defaultFlush(leaseMs) }: RenewalOptions): Renewals {
  let seats = new Map<string, Sign>();
  let claims = new Map<string, Sign>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  /** Signs come from within units too; the timer must not count as part of one. */
  function schedule(): void {
    timer ??= leaveUnit(() => setTimeout(() => void flush().catch(report), flushMs).unref());
  }

  function report(error: unknown): void {
    log.warn('Lease renewals could not be written; they will be tried again.', { error });
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    flushing = flushing.then(write, write);
    return flushing;
  }

  /** Signs stay readable until they are on disk; newer ones that came meanwhile are kept for the next time. */
  async function write(): Promise<void> {
    if (seats.size === 0 && claims.size === 0) return;
    const [seatsNow, claimsNow] = [new Map(seats), new Map(claims)];
    try {
      await db.write(systemActor, async (tx) => {
        for (const sign of [...seatsNow.values(), ...claimsNow.values()]) await sign.renew(tx, leaseFrom(sign));
      });
    } catch (error) {
      schedule();
      throw error;
    }
    seats = new Map([...seats].filter(([seat, sign]) => seatsNow.get(seat) !== sign));
    claims = new Map([...claims].filter(([key, sign]) => claimsNow.get(key) !== sign));
  }

  /** A sign from the future was given before the clock went back: it counts from when that is noticed. */
  function leaseFrom(sign: Sign): number {
    sign.at = Math.min(sign.at, db.now());
    return sign.at + leaseMs;
  }

  return {
    touchSeat(seat) {
      if (leaseMs === 0) return;
      seats.set(seat, { at: db.now(), renew: (tx, until) => renewSeat(tx, seat, until) });
      schedule();
    },
    touchClaim(taskId, fence) {
      if (leaseMs === 0) return;
      claims.set(`${taskId}:${fence}`, { at: db.now(), renew: (tx, until) => renewTask(tx, taskId, fence, until) });
      schedule();
    },
    leaseOf({ id, fence, seat }) {
      const signs = [claims.get(`${id}:${fence}`), seat === null ? undefined : seats.get(seat)].filter((sign) => sign !== undefined);
      return signs.length === 0 ? undefined : Math.max(...signs.map(leaseFrom));
    },
    flush,
    async close() {
      await flush().finally(() => clearTimeout(timer));
    },
  };
}

function defaultFlush(leaseMs: number): number {
  return Math.max(50, Math.min(5_000, leaseMs / 10));
}
