// Durable readers of the feed. The cursor moves in the transaction of the work, so each event counts
// exactly once.
import { pause } from '../kernel/clock.ts';
import { HubError } from '../kernel/errors.ts';
import type { Event, Gap } from '../kernel/event.ts';
import type { Log } from '../kernel/log.ts';
import { systemActor } from '../kernel/principal.ts';
import type { Database, Query, Tx } from './database.ts';
import { leaseIn, whileKept } from './lease.ts';
import { sql } from './sql.ts';

export type ConsumerOptions = Readonly<{
  db: Database;
  name: string;
  /** This hub. One hub at a time runs a consumer; another takes over when its lease ends. */
  holder: string;
  /** Of all others its room hears nothing; `want` chooses among these. */
  kinds?: ReadonlySet<string>;
  want?(event: Event): boolean;
  /** Asked before anything is written, where most events come to nothing: has it anything to do with these at all? */
  concerns?(q: Query, events: readonly Event[]): Promise<boolean>;
  /** It begins where the cursor stands: what happened meanwhile may have been another hub's to hear. */
  begin?(): void;
  /** Runs in the transaction that moves the cursor: its changes happen exactly once per event. */
  handle(tx: Tx, event: Event): Promise<void>;
  log: Log;
  leaseMs?: number;
}>;

/** Events that share a transaction. Few enough that nobody else has to wait for long. */
const AT_ONCE = 50;

export interface Running {
  stop(): Promise<void>;
}

const lease = leaseIn({ table: 'consumers', key: 'name', holder: 'holder', until: 'lease_until' });

/**
 * A durable reader of the event log. A new consumer starts at the events that follow its
 * first start. An event whose handler fails is tried again, later and later, and never
 * passed over.
 */
export function startConsumer(options: ConsumerOptions): Running {
  const { db, name, holder, log, leaseMs = 15_000 } = options;
  const hold = { holder, ms: leaseMs, longestMs: leaseMs };
  const stopping = new AbortController();
  const finished = run();

  function isWanted(event: Event): boolean {
    return (options.kinds?.has(event.kind) ?? true) && (options.want?.(event) ?? true);
  }

  async function run(): Promise<void> {
    let failures = 0;
    while (!stopping.signal.aborted) {
      try {
        const position = await acquire();
        if (position === undefined) await pause(leaseMs / 3, stopping.signal);
        else await follow(position, () => (failures = 0));
      } catch (error) {
        failures += 1;
        log.warn(`The consumer ${name} failed and will try again.`, { failures, error });
        await pause(Math.min(30_000, 50 * 2 ** failures), stopping.signal);
      }
    }
    await release().catch((error: unknown) =>
      log.debug(`The consumer ${name} left its lease to run out.`, { error }),
    );
  }

  /** The position to go on from, or nothing while another hub holds the lease. */
  async function acquire(): Promise<number | undefined> {
    return db.write(systemActor, async (tx) => {
      const row = await tx.get<{ position: number }>(sql`
        insert into consumers (name, position, holder, lease_until)
        select ${name}, value, ${holder}, ${tx.now + leaseMs}
        from counters
        where name = 'events'
        on conflict (name) do update
        set ${lease.taken(tx, hold)}
        where ${lease.isFree(tx, hold)}
        returning position`);
      return row?.position;
    });
  }

  async function follow(position: number, onProgress: () => void): Promise<void> {
    let seen = position;
    let signal = stopping.signal;
    options.begin?.();

    function take(page: readonly (Event | Gap)[]): Promise<void> | undefined {
      const wanted: Event[] = [];
      for (const event of page) {
        if ('gapBefore' in event)
          log.warn(`The consumer ${name} missed events that retention had removed.`, {
            before: event.gapBefore,
          });
        else if (isWanted(event)) wanted.push(event);
      }
      const last = page.at(-1)!;
      const pass = () => void (seen = 'gapBefore' in last ? last.gapBefore - 1 : last.seq);
      return wanted.length === 0 ? pass() : handleAll(wanted).then((isDone) => (isDone ? pass() : undefined));
    }

    /** False when the turn is over before the events are: the rest is for the next one. */
    async function handleAll(events: readonly Event[]): Promise<boolean> {
      for (let i = 0; i < events.length; i += AT_ONCE) {
        if (signal.aborted) return false;
        const some = events.slice(i, i + AT_ONCE);
        if (await isConcerned(some)) await handleTogether(some);
      }
      return true;
    }

    /** Of what it passes over the cursor is told when the lease is renewed: whoever comes first after a crash asks again. */
    async function isConcerned(events: readonly Event[]): Promise<boolean> {
      return options.concerns ? db.read((q) => options.concerns!(q, events)) : true;
    }

    /** In one transaction, or one by one when that fails: an event that cannot be handled holds up none before it. */
    async function handleTogether(events: readonly Event[]): Promise<void> {
      try {
        await handle(events);
      } catch (error) {
        if (events.length === 1) throw error;
        for (const event of events) await handle([event]);
      }
    }

    async function handle(events: readonly Event[]): Promise<void> {
      const last = events.at(-1)!.seq;
      // Nobody waits for a consumer: its commit is shared with what is written next, not put before it.
      await db.writeSoon(systemActor, async (tx) => {
        await move(tx, last);
        for (const event of events) await options.handle(tx, event);
      });
      seen = last;
      onProgress();
    }

    await whileKept(
      leaseMs,
      () => db.write(systemActor, (tx) => renew(tx, seen)),
      (lost) => {
        signal = AbortSignal.any([signal, lost]);
        return db.feed.follow(position, take, signal);
      },
    );
  }

  /** Moves the cursor; fails when another hub has taken over or was here before. */
  async function move(tx: Tx, to: number): Promise<void> {
    const changed = await tx.run(sql`
      update consumers
      set position = ${to}, ${lease.taken(tx, hold)}
      where ${lease.isHeld(name, holder)} and position < ${to}`);
    if (changed === 0) throw takenOver();
  }

  /** Keeps the lease, and lets the cursor follow events nobody wanted so that retention does not overtake it. */
  async function renew(tx: Tx, seen: number): Promise<void> {
    const changed = await tx.run(sql`
      update consumers
      set position = case when position < ${seen} then ${seen} else position end, ${lease.taken(tx, hold)}
      where ${lease.isHeld(name, holder)}`);
    if (changed === 0) throw takenOver();
  }

  function takenOver(): HubError {
    return new HubError('conflict', `The consumer ${name} runs elsewhere now.`);
  }

  async function release(): Promise<void> {
    await db.write(systemActor, (tx) => lease.free(tx, name, holder));
  }

  return {
    async stop() {
      stopping.abort();
      await finished;
    },
  };
}
