// Group commit on SQLite. Each unit has its savepoint, and nobody is answered before the commit is on
// disk.
import { type Clock, pause } from '../../../kernel/clock.ts';
import { HubError } from '../../../kernel/errors.ts';
import type { Event } from '../../../kernel/event.ts';
import type { BatchFacts } from '../../../kernel/observer.ts';
import type { Actor } from '../../../kernel/principal.ts';
import type { Once, Tx } from '../../database.ts';
import { makeEvent, readHead, toRow } from '../../events.ts';
import { answerOnce } from '../../once.ts';
import { sql } from '../../sql.ts';
import { enterUnit, ForeignWatch, hiddenFailure, leaveUnit, refuseNesting } from '../../unit.ts';
import type { Connection } from './connection.ts';
import { busyError, isBusy, lostError, translate } from './faults.ts';
import { SqliteWriteUnit } from './statements.ts';

type Waiting = {
  actor: Actor;
  unit: (tx: Tx) => Promise<unknown>;
  once: Once | undefined;
  /** Nobody waits for it: it goes along with the next one. */
  isTrailing: boolean;
  resolve(answer: unknown): void;
  reject(error: unknown): void;
};

type Outcome = { waiting: Waiting; answer?: unknown; error?: unknown };

export type WriterOptions = Readonly<{
  clock: Clock;
  hub: string;
  maxBatch: number;
  maxQueue: number;
  /** How long BEGIN is retried while another process writes. */
  patienceMs: number;
  onCommit(events: readonly Event[]): void;
  onBatch?: ((facts: BatchFacts) => void) | undefined;
}>;

export interface Writer {
  write<T>(actor: Actor, unit: (tx: Tx) => Promise<T>, once?: Once): Promise<T>;
  writeSoon<T>(actor: Actor, unit: (tx: Tx) => Promise<T>): Promise<T>;
  flush(): Promise<void>;
  /** Why the last change was lost; undefined once another one is on disk. */
  fault(): HubError | undefined;
  close(): Promise<void>;
}

const MOST_GATHERING_MS = 2;
/** How long a unit that nobody waits for waits for another one. */
const SOON_MS = 2;

/**
 * Group commit. Units that arrive in one turn of the event loop run one after another in one
 * transaction, each in its savepoint unless it is the only one, and every caller is answered after the one fsync.
 * Invariants: a unit that throws undoes only itself; when the transaction is lost, every unit
 * of the batch fails and nobody is told otherwise; event numbers are gapless in commit order.
 */
export function createWriter(connection: Connection, options: WriterOptions): Writer {
  const queue: Waiting[] = [];
  /** Joins the queue in front of the next unit that somebody waits for, so that the order of arrival is kept. */
  const trailing: Waiting[] = [];
  const unwritten = new Set<Promise<unknown>>();
  let timer: NodeJS.Timeout | undefined;
  let draining: Promise<void> | undefined;
  let last = { units: 1, commitMs: 0 };
  let closed = false;
  let fault: HubError | undefined;

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      await gather();
      await runBatch(queue.splice(0, options.maxBatch));
    }
    draining = undefined;
  }

  /**
   * Callers that were answered together come back together, some turns of the event loop apart. Waiting for as many
   * as last time, for less than half of what a commit takes, costs less than the commit it saves.
   */
  async function gather(): Promise<void> {
    const expected = Math.min(last.units, options.maxBatch);
    const deadline = performance.now() + Math.min(last.commitMs / 2, MOST_GATHERING_MS);
    do await new Promise((resolve) => setImmediate(resolve));
    while (queue.length < expected && performance.now() < deadline);
  }

  async function runBatch(batch: Waiting[]): Promise<void> {
    const outcomes: Outcome[] = [];
    const events: Event[] = [];
    const isAlone = batch.length === 1;
    try {
      await begin();
      let head = connection.get<{ value: number }>(readHead)!.value;
      for (const waiting of batch) {
        const unit = new SqliteWriteUnit(connection, options.clock.now(), waiting.actor);
        const outcome = await runUnit(unit, waiting, isAlone);
        outcomes.push(outcome);
        if (!connection.inTransaction) throw asLost(outcome.error);
        if ('error' in outcome && isAlone) {
          connection.exec('rollback');
          noteFault(outcome.error);
          return waiting.reject(outcome.error);
        }
        if ('error' in outcome) continue;
        const origin = { at: unit.now, actor: waiting.actor, hub: options.hub };
        for (const event of unit.events) events.push(makeEvent(event, ++head, origin));
      }
      writeEvents(events);
      const committing = performance.now();
      connection.exec('commit');
      fault = undefined;
      const awaited = batch.filter(({ isTrailing }) => !isTrailing).length;
      last = { units: Math.max(1, awaited), commitMs: performance.now() - committing };
      options.onBatch?.({ units: batch.length, waiting: queue.length, ms: last.commitMs });
    } catch (thrown) {
      if (connection.inTransaction) connection.exec('rollback');
      const error =
        thrown instanceof HubError ? thrown : isBusy(thrown) ? busyError(thrown) : lostError(thrown);
      noteFault(error);
      for (const waiting of batch) waiting.reject(error);
      return;
    }
    for (const outcome of outcomes) {
      if ('error' in outcome) outcome.waiting.reject(outcome.error);
      else outcome.waiting.resolve(outcome.answer);
    }
    options.onCommit(events);
  }

  /** A long busy time-out would freeze the event loop, so waiting for another process is done here, with jitter. */
  async function begin(): Promise<void> {
    const deadline = performance.now() + options.patienceMs;
    for (;;) {
      try {
        return connection.exec('begin immediate');
      } catch (thrown) {
        if (!isBusy(thrown) || performance.now() > deadline) throw thrown;
        await pause(2 + Math.random() * 20);
      }
    }
  }

  /** A unit that is alone in its transaction needs no savepoint: all there is to undo is its own. */
  async function runUnit(unit: SqliteWriteUnit, waiting: Waiting, isAlone: boolean): Promise<Outcome> {
    const watch = new ForeignWatch();
    if (!isAlone) connection.exec('savepoint unit');
    try {
      const { once } = waiting;
      const work = enterUnit('write', () =>
        once ? answerOnce(unit, once, waiting.unit) : waiting.unit(unit),
      );
      const answer = await Promise.race([work, watch.caught]);
      if (unit.hasFailed) throw hiddenFailure();
      if (!isAlone) connection.exec('release unit');
      return { waiting, answer };
    } catch (thrown) {
      if (!isAlone && connection.inTransaction) {
        connection.exec('rollback to unit');
        connection.exec('release unit');
      }
      return { waiting, error: translate(thrown) };
    } finally {
      watch.end();
      unit.revoke();
    }
  }

  /** A change that was refused for its own sake says nothing about the disk. */
  function noteFault(error: unknown): void {
    if (error instanceof HubError && error.code === 'unavailable') fault = error;
  }

  function asLost(error: unknown): HubError {
    return error instanceof HubError && error.code === 'unavailable' ? error : lostError(error);
  }

  function writeEvents(events: readonly Event[]): void {
    if (events.length === 0) return;
    for (const event of events) {
      const row = toRow(event);
      connection.run(sql`
        insert into events (seq, at, kind, subject, realm, team, actor, asserted, hub, data)
        values (${row.seq}, ${row.at}, ${row.kind}, ${row.subject}, ${row.realm}, ${row.team}, ${row.actor}, ${row.asserted}, ${row.hub}, ${row.data})`);
    }
    connection.run(sql`update counters set value = ${events.at(-1)!.seq} where name = 'events'`);
  }

  function refuse(): void {
    refuseNesting('write');
    if (closed) throw new HubError('unavailable', 'The database is closed.');
    if (queue.length + trailing.length >= options.maxQueue)
      throw new HubError('busy', `More than ${options.maxQueue} changes are waiting.`);
  }

  function hurry(): void {
    clearTimeout(timer);
    timer = undefined;
    queue.push(...trailing.splice(0));
    if (queue.length > 0) draining ??= leaveUnit(drain);
  }

  return {
    async write<T>(actor: Actor, unit: (tx: Tx) => Promise<T>, once?: Once): Promise<T> {
      refuse();
      return new Promise<T>((resolve, reject) => {
        trailing.push({ actor, unit, once, isTrailing: false, resolve, reject });
        hurry();
      });
    },
    async writeSoon<T>(actor: Actor, unit: (tx: Tx) => Promise<T>): Promise<T> {
      refuse();
      const written = new Promise<T>((resolve, reject) => {
        trailing.push({ actor, unit, once: undefined, isTrailing: true, resolve, reject });
        timer ??= leaveUnit(() => setTimeout(hurry, SOON_MS));
      });
      unwritten.add(written);
      return written.finally(() => unwritten.delete(written));
    },
    async flush() {
      hurry();
      await Promise.allSettled(unwritten);
    },
    fault: () => fault,
    async close() {
      closed = true;
      hurry();
      await draining;
    },
  };
}
