import type { Log } from '../../kernel/log.ts';
import { systemActor } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
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

export function createRenewals({ db, leaseMs, log, flushMs = defaultFlush(leaseMs) }: RenewalOptions): Renewals {
  let seats = new Map<string, number>();
  let claims = new Map<string, Readonly<{ taskId: string; fence: number; at: number }>>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  function schedule(): void {
    timer ??= setTimeout(() => void flush().catch(report), flushMs).unref();
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
        for (const [seat, at] of seatsNow) await renewSeat(tx, seat, at + leaseMs);
        for (const { taskId, fence, at } of claimsNow.values()) await renewTask(tx, taskId, fence, at + leaseMs);
      });
    } catch (error) {
      schedule();
      throw error;
    }
    seats = new Map([...seats].filter(([seat, at]) => seatsNow.get(seat) !== at));
    claims = new Map([...claims].filter(([key, claim]) => claimsNow.get(key) !== claim));
  }

  return {
    touchSeat(seat) {
      if (leaseMs === 0) return;
      seats.set(seat, db.now());
      schedule();
    },
    touchClaim(taskId, fence) {
      if (leaseMs === 0) return;
      claims.set(`${taskId}:${fence}`, { taskId, fence, at: db.now() });
      schedule();
    },
    leaseOf({ id, fence, seat }) {
      const at = Math.max(claims.get(`${id}:${fence}`)?.at ?? -Infinity, (seat === null ? undefined : seats.get(seat)) ?? -Infinity);
      return at === -Infinity ? undefined : at + leaseMs;
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
