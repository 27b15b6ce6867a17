// Transactions on PostgreSQL: a unit is run again after a conflict, so it must do nothing but database
// work.
import type { Writable } from 'node:stream';
import type { Pool, PoolClient } from 'pg';
import { pause } from '../../../kernel/clock.ts';
import { HubError } from '../../../kernel/errors.ts';
import type { Event } from '../../../kernel/event.ts';
import type { BatchFacts } from '../../../kernel/observer.ts';
import type { Actor } from '../../../kernel/principal.ts';
import type { Once, Query, Tx } from '../../database.ts';
import { answerOnce } from '../../once.ts';
import { enterUnit, ForeignWatch, hiddenFailure, leaveUnit, refuseNesting } from '../../unit.ts';
import { begin, commit } from './commit.ts';
import { isConflict, isConnectionLoss, isUnsent, translate, UncertainCommit } from './faults.ts';
import { PostgresReadUnit, PostgresWriteUnit } from './statements.ts';

export type TransactionOptions = Readonly<{
  hub: string;
  maxQueue: number;
  /** How long a unit is tried again while the server is away or others are in the way. */
  patienceMs: number;
  now(): number;
  onCommit(events: readonly Event[]): void;
  onBatch?: ((facts: BatchFacts) => void) | undefined;
  /** A change failed, and not for what it was. */
  onFault(thrown: unknown): void;
}>;

export interface Transactions {
  read<T>(unit: (q: Query) => Promise<T>): Promise<T>;
  write<T>(actor: Actor, unit: (tx: Tx) => Promise<T>, once?: Once): Promise<T>;
}

/** Apart, so that readers never stand behind writers that wait for a lock. */
export type Pools = Readonly<{ reads: Pool; writes: Pool }>;

/** READ COMMITTED for writes, with the unit run again after a conflict; one snapshot for reads. */
export function createTransactions({ reads, writes }: Pools, options: TransactionOptions): Transactions {
  async function retrying<T>(work: () => Promise<T>, mayRepeat: (thrown: unknown) => boolean): Promise<T> {
    const deadline = performance.now() + options.patienceMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (thrown) {
        // A hub that was frozen itself finds its time gone and the database there: it tries once more.
        const isOver = performance.now() > deadline && !(attempt === 1 && isUnsent(thrown));
        if (isOver || !mayRepeat(thrown)) throw translate(thrown);
        await pause(Math.random() * Math.min(200, 5 * 2 ** attempt));
      }
    }
  }

  async function readOnce<T>(unit: (q: Query) => Promise<T>): Promise<T> {
    return withClient(reads, async (client) => {
      const watch = new ForeignWatch();
      const query = new PostgresReadUnit(client, watch);
      watch.started();
      holdBack(client);
      // Travels with the first statement. Should it fail, what the unit read was no snapshot: see `await begun`.
      const begun = client.query('begin isolation level repeatable read read only');
      begun.then(
        () => watch.settled(),
        () => watch.settled(),
      );
      try {
        const answer = await Promise.race([enterUnit('read', () => unit(query)), watch.caught]);
        await begun;
        return answer;
      } finally {
        watch.end();
        query.revoke();
        // Nothing depends on the answer; whoever uses the connection next speaks after it.
        client.query('commit').catch(() => undefined);
      }
    });
  }

  async function writeOnce<T>(
    actor: Actor,
    unit: (tx: Tx) => Promise<T>,
    once: Once | undefined,
  ): Promise<T> {
    let events: readonly Event[] = [];
    const answer = await withClient(writes, async (client) => {
      await begin(client);
      const watch = new ForeignWatch();
      const tx = new PostgresWriteUnit(client, watch, { now: options.now(), actor });
      let answer: T;
      try {
        answer = await Promise.race([
          enterUnit('write', () => (once ? answerOnce(tx, once, unit) : unit(tx))),
          watch.caught,
        ]);
        if (tx.conflict) throw tx.conflict;
        if (tx.hasFailed) throw hiddenFailure();
      } finally {
        watch.end();
        tx.revoke();
      }
      const committing = performance.now();
      events = await commit(client, tx.events, { at: tx.now, actor, hub: options.hub });
      // Every change commits by itself here: batches of one, and whoever waits does so for a connection.
      options.onBatch?.({ units: 1, waiting: writes.waitingCount, ms: performance.now() - committing });
      return answer;
    });
    options.onCommit(events);
    return answer;
  }

  /** Gives the client back clean, or ends it when its state is unknown. */
  async function withClient<T>(pool: Pool, work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await pool.connect();
    try {
      const answer = await work(client);
      client.release();
      return answer;
    } catch (thrown) {
      const broken = await client.query('rollback').then(
        () => false,
        () => true,
      );
      client.release(broken);
      throw thrown;
    }
  }

  return {
    async read(unit) {
      refuseNesting('read');
      return leaveUnit(() => retrying(() => readOnce(unit), isConnectionLoss));
    },
    async write(actor, unit, once) {
      refuseNesting('write');
      if (writes.waitingCount >= options.maxQueue)
        throw new HubError('busy', `More than ${options.maxQueue} changes are waiting.`);
      const mayRepeat = (thrown: unknown) =>
        isConflict(thrown) ||
        (thrown instanceof UncertainCommit ? once !== undefined : isConnectionLoss(thrown));
      try {
        return await leaveUnit(() => retrying(() => writeOnce(actor, unit, once), mayRepeat));
      } catch (thrown) {
        options.onFault(thrown);
        throw thrown;
      }
    },
  };
}

/** What is said in this turn goes out as one write: each costs more than what most statements take to be made. */
function holdBack(client: PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
