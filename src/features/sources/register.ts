import type { Log } from '../../kernel/log.ts';
import { systemActor } from '../../kernel/principal.ts';
import { createTurns } from '../../kernel/turns.ts';
import type { Database, Query } from '../../store/database.ts';
import { countStates, dropStates, dropStatesBefore, recordState, stateRows, type StateRow } from './rows.ts';
import type { SourceState } from './upstream/supervisor.ts';

/** Which hub runs what, for people with several. Written behind the events, in order; nothing is decided by it. */
export interface Register {
  begin(hub: string): void;
  note(
    source: string,
    now: Readonly<{ state: SourceState; reason: string | undefined; tools: number }>,
  ): void;
  forget(source: string): void;
  /** Says that this hub still lives, and strikes out those that no longer do. */
  renew(): Promise<void>;
  read(): Promise<readonly StateRow[]>;
  /** How many sources of a hub are in which state. */
  countStates(q: Query, hub: string): Promise<Record<string, number>>;
  close(): Promise<void>;
}

/** A hub that was not heard of for so long is not shown. */
const LIFE_MS = 3 * 60_000;

const TOLD: Readonly<Partial<Record<SourceState, string>>> = {
  failing: 'source.failing',
  ready: 'source.ready',
  stopped: 'source.stopped',
};

export function createRegister({ db, log }: { db: Database; log: Log }): Register {
  let hub: string | undefined;
  let isClosed = false;
  const writing = createTurns();
  /** What the feed was told of a source; its tries are not told one by one. */
  const told = new Map<string, SourceState>();
  const last = new Map<string, Readonly<{ state: SourceState; reason: string | undefined; tools: number }>>();

  function write(work: () => Promise<unknown>): void {
    const failed = (error: unknown) =>
      isClosed ? undefined : log.warn('the register of sources could not be written', { error });
    void writing.take(work).catch(failed);
  }

  function record(source: string): void {
    const now = last.get(source);
    if (hub === undefined || isClosed || !now) return;
    const row = {
      hub,
      source,
      state: now.state,
      reason: now.reason ?? null,
      pid: process.pid,
      tools: now.tools,
    };
    const news = told.get(source) === now.state ? undefined : TOLD[now.state];
    if (news) told.set(source, now.state);
    write(() =>
      db.write(systemActor, async (tx) => {
        await recordState(tx, row);
        if (news) tx.emit({ kind: news, subject: source, realm: 'hub' });
      }),
    );
  }

  return {
    begin(given) {
      hub = given;
      for (const source of last.keys()) record(source);
    },
    note(source, now) {
      last.set(source, now);
      record(source);
    },
    forget(source) {
      last.delete(source);
      told.delete(source);
      const own = hub;
      if (own !== undefined && !isClosed)
        write(() => db.write(systemActor, (tx) => dropStates(tx, own, source)));
    },
    async renew() {
      for (const source of last.keys()) record(source);
      write(() => db.write(systemActor, (tx) => dropStatesBefore(tx, tx.now - LIFE_MS)));
      await writing.settled();
    },
    read: () => db.read((q) => stateRows(q, db.now() - LIFE_MS)),
    countStates,
    async close() {
      const own = hub;
      if (own !== undefined) write(() => db.write(systemActor, (tx) => dropStates(tx, own)));
      isClosed = true;
      await writing.settled();
    },
  };
}
