import { pause } from '../../../kernel/clock.ts';
import { HubError } from '../../../kernel/errors.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { createTurns } from '../../../kernel/turns.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { whileKept } from '../../../store/lease.ts';
import { vaultById, writing } from '../rows/vaults.ts';
import { isDead, newProcessName } from './process-name.ts';

/**
 * One writer per vault at a time. Inside a process work waits its turn; between processes a lease in the database decides,
 * and every transaction of the holder proves that it still has it. Test: two writers on one vault, in test/contract.
 */
export interface VaultLease {
  run<T>(work: (hold: Hold) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface Hold {
  /** Fails the transaction when the vault belongs to somebody else by now. */
  prove(tx: Tx): Promise<void>;
  /** The same for the next file, which no transaction guards: a process that was stopped for longer than its lease writes no more. */
  assertLive(): void;
}

export type LeaseOptions = Readonly<{ db: Database; vault: string; leaseMs?: number; patienceMs?: number }>;

const RETRY_MS = 40;

export function createLease({ db, vault, leaseMs = 15_000, patienceMs = 20_000 }: LeaseOptions): VaultLease {
  const holder = newProcessName();
  const closing = new AbortController();
  const turns = createTurns();

  /**
   * By both clocks, whichever is further: the one goes on while a laptop sleeps, the other when somebody sets the time
   * back.
   */
  let live = { until: -Infinity, untilElapsed: -Infinity };
  const fromNow = () => ({ until: db.now() + leaseMs, untilElapsed: db.elapsed() + leaseMs });
  const lost = () =>
    new HubError('unavailable', 'The vault was taken over by another hub; try again.', { vault });

  async function keep(tx: Tx): Promise<boolean> {
    const asked = fromNow();
    const isKept = await writing.keep(tx, vault, { holder, ms: leaseMs });
    if (isKept) live = asked;
    return isKept;
  }

  const hold: Hold = {
    async prove(tx) {
      if (!(await keep(tx))) throw lost();
    },
    assertLive() {
      if (db.now() >= live.until || db.elapsed() >= live.untilElapsed) throw lost();
    },
  };

  async function acquire(): Promise<void> {
    const started = db.elapsed();
    for (;;) {
      const current = (await db.read((q) => vaultById(q, vault)))?.holder ?? null;
      const dead = current !== null && isDead(current) ? current : null;
      live = fromNow();
      if (await db.write(systemActor, (tx) => writing.take(tx, vault, { holder, ms: leaseMs, dead }))) return;
      if (closing.signal.aborted || db.elapsed() - started > patienceMs) {
        throw new HubError('busy', 'Another hub is working in the vault; try again in a moment.', { vault });
      }
      await pause(RETRY_MS + Math.random() * RETRY_MS, closing.signal);
    }
  }

  async function whileHeld<T>(work: (hold: Hold) => Promise<T>): Promise<T> {
    await acquire();
    try {
      // That it is lost needs no answer here: the next `prove` refuses.
      return await whileKept(
        leaseMs,
        () => db.write(systemActor, keep),
        () => work(hold),
      );
    } finally {
      await db.write(systemActor, (tx) => writing.free(tx, vault, holder));
    }
  }

  return {
    run: (work) => turns.take(() => whileHeld(work)),
    async close() {
      closing.abort();
      await turns.settled();
    },
  };
}
