import type { Log } from '../kernel/log.ts';
import { systemActor } from '../kernel/principal.ts';
import type { Database, Tx } from './database.ts';
import { leaveUnit } from './unit.ts';

/**
 * Facts that change often and matter little one by one, such as signs of life: the newest of each key is kept in memory,
 * and all are written together every few seconds. A process that is killed loses the last few seconds of them.
 */
export interface Coalesced<V> {
  set(key: string, value: V): void;
  /** What is not on disk yet. */
  get(key: string): V | undefined;
  /** It need not be written any more. What is being written at this moment still is. */
  drop(key: string): void;
  /** How many wait. */
  readonly size: number;
  flush(): Promise<void>;
  /** Writes what is left. */
  close(): Promise<void>;
}

export type CoalescedOptions<V> = Readonly<{
  db: Database;
  log: Log;
  /** For the log, at the beginning of a sentence: "Heartbeats". */
  what: string;
  everyMs: number;
}> &
  (
    | Readonly<{ write(tx: Tx, key: string, value: V): Promise<unknown> }>
    /** Where many come at once, and one statement takes them. */
    | Readonly<{ writeAll(tx: Tx, values: readonly V[]): Promise<unknown> }>
  );

export function createCoalesced<V>(options: CoalescedOptions<V>): Coalesced<V> {
  const { db, log, what, everyMs } = options;
  const waiting = new Map<string, V>();
  let timer: NodeJS.Timeout | undefined;
  let flushing: Promise<void> = Promise.resolve();

  /** Values come from within units, too; the timer must not count as part of one. */
  function schedule(): void {
    timer ??= leaveUnit(() => setTimeout(() => void flush().catch(report), everyMs).unref());
  }

  function report(error: unknown): void {
    log.warn(`${what} could not be written; they will be tried again.`, { error });
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    flushing = flushing.then(writeDue, writeDue);
    return flushing;
  }

  /** Values stay readable until they are on disk; a newer one that came meanwhile waits for the next time. */
  async function writeDue(): Promise<void> {
    if (waiting.size === 0) return;
    // In one order on every hub, so that two that flush at once cannot wait for each other.
    const due = [...waiting].sort(([a], [b]) => (a < b ? -1 : 1));
    try {
      await db.write(systemActor, async (tx) => {
        if ('write' in options) for (const [key, value] of due) await options.write(tx, key, value);
        else
          await options.writeAll(
            tx,
            due.map(([, value]) => value),
          );
      });
    } catch (error) {
      schedule();
      throw error;
    }
    for (const [key, value] of due) if (waiting.get(key) === value) waiting.delete(key);
  }

  return {
    set(key, value) {
      waiting.set(key, value);
      schedule();
    },
    get: (key) => waiting.get(key),
    drop: (key) => void waiting.delete(key),
    get size() {
      return waiting.size;
    },
    flush,
    async close() {
      await flush().finally(() => clearTimeout(timer));
    },
  };
}
