// Transactions on PostgreSQL: a unit is run again after a conflict, so it must do nothing but database
// work.
import type { Writable } from 'node:stream';
import type { Pool, PoolClient } from 'pg';
import { pause } from '../../../kernel/clock.ts';
import { HubError } from '../../../kernel/errors.ts';
import type { Event, NewEvent } from '../../../kernel/event.ts';
import type { BatchFacts } from '../../../kernel/observer.ts';
import type { Actor } from '../../../kernel/principal.ts';
import type { Once, Query, Tx } from '../../database.ts';
import { makeEvent, toRow, type EventOrigin } from '../../events.ts';
import { answerOnce } from '../../once.ts';
import { enterUnit, ForeignWatch, hiddenFailure, leaveUnit, refuseNesting } from '../../unit.ts';
import { isConflict, isConnectionLoss, translate, UncertainCommit } from './faults.ts';
import { PostgresReadUnit, PostgresWriteUnit } from './statements.ts';

export type TransactionOptions = Readonly<{
  hub: string;
  maxQueue: number;
  /** How long a unit is tried again while the server is away or others are in the way. */
  patienceMs: number;
  now(): number;
  onCommit(events: readonly Event[]): void;
  onBatch?: ((facts: BatchFacts) => void) | undefined;
}>;

export interface Transactions {
  read<T>(unit: (q: Query) => Promise<T>): Promise<T>;
  write<T>(actor: Actor, unit: (tx: Tx) => Promise<T>, once?: Once): Promise<T>;
}

/** READ COMMITTED for writes, with the unit run again after a conflict; one snapshot for reads. */
export function createTransactions(pool: Pool, options: TransactionOptions): Transactions {
  async function retrying<T>(work: () => Promise<T>, mayRepeat: (thrown: unknown) => boolean): Promise<T> {
    const deadline = performance.now() + options.patienceMs;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await work();
      } catch (thrown) {
        if (!mayRepeat(thrown) || performance.now() > deadline) throw translate(thrown);
        await pause(Math.random() * Math.min(200, 5 * 2 ** attempt));
      }
    }
  }

  async function readOnce<T>(unit: (q: Query) => Promise<T>): Promise<T> {
    return withClient(async (client) => {
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
    const answer = await withClient(async (client) => {
      await client.query('begin');
      const watch = new ForeignWatch();
      const tx = new PostgresWriteUnit(client, watch, { now: options.now(), actor });
      let answer: T;
      try {
        answer = await Promise.race([
          enterUnit('write', () => (once ? answerOnce(tx, once, unit) : unit(tx))),
          watch.caught,
        ]);
        if (tx.hasFailed) throw hiddenFailure();
      } finally {
        watch.end();
        tx.revoke();
      }
      events = await writeEvents(client, tx.events, { at: tx.now, actor, hub: options.hub });
      const committing = performance.now();
      await commit(client);
      // Every change commits by itself here: batches of one, and whoever waits does so for a connection.
      options.onBatch?.({ units: 1, waiting: pool.waitingCount, ms: performance.now() - committing });
      return answer;
    });
    options.onCommit(events);
    return answer;
  }

  /** Gives the client back clean, or ends it when its state is unknown. */
  async function withClient<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
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
      if (pool.waitingCount >= options.maxQueue)
        throw new HubError('busy', `More than ${options.maxQueue} changes are waiting.`);
      const mayRepeat = (thrown: unknown) =>
        isConflict(thrown) ||
        (thrown instanceof UncertainCommit ? once !== undefined : isConnectionLoss(thrown));
      return leaveUnit(() => retrying(() => writeOnce(actor, unit, once), mayRepeat));
    },
  };
}

async function commit(client: PoolClient): Promise<void> {
  try {
    await client.query('commit');
  } catch (thrown) {
    if (isConnectionLoss(thrown))
      throw new UncertainCommit('commit was sent, the answer never came', { cause: thrown });
    throw thrown;
  }
}

/**
 * Events are numbered and written last, in one statement with the counter. The counter row
 * stays locked until COMMIT, so numbers are handed out in commit order and a rollback takes
 * its numbers back: gapless, and no reader's cursor ever passes an event that commits later.
 */
async function writeEvents(
  client: PoolClient,
  events: readonly NewEvent[],
  origin: EventOrigin,
): Promise<Event[]> {
  if (events.length === 0) return [];
  const rows = events.map((event, i) => ({ ...toRow(makeEvent(event, 0, origin)), seq: i + 1 }));
  const result = await client.query<{ seq: number }>({
    name: 'holdfast_events',
    text: `
      with counter as (
        update counters
        set value = value + $1
        where name = 'events'
        returning value
      )
      insert into events (seq, at, kind, subject, realm, team, actor, asserted, hub, data)
      select counter.value - $1 + e.seq, e.at, e.kind, e.subject, e.realm, e.team, e.actor, e.asserted, e.hub, e.data
      from counter, json_to_recordset($2::json)
        as e (seq bigint, at bigint, kind text, subject text, realm text, team text, actor text, asserted bigint, hub text, data text)
      returning seq`,
    values: [events.length, JSON.stringify(rows)],
  });
  const first = Math.min(...result.rows.map((row) => row.seq));
  return events.map((event, i) => makeEvent(event, first + i, origin));
}

/** What is said in this turn goes out as one write: each costs more than what most statements take to be made. */
function holdBack(client: PoolClient): void {
  const { stream } = (client as unknown as { connection: { stream: Writable } }).connection;
  stream.cork();
  process.nextTick(() => stream.uncork());
}
