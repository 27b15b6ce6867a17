// Between a run that is on disk and its start: the budget of its project, which a person may raise, and its
// places. What waits here is `pending`; a cancel lets it through at once, because the supervisor ends it
// properly. When the hub ends it stays as it is: the next hub has a gate, too.
import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { whenAborted } from '../../../kernel/when-aborted.ts';
import type { Database } from '../../../store/database.ts';
import { setReason } from '../stream/events.ts';
import { findRun } from '../rows/runs.ts';
import { isOver } from '../rules.ts';
import type { Reason, Run } from '../run.ts';
import type { Slots } from './slots.ts';
import { untilStopped } from '../attempt/stop.ts';
import type { AskBudget } from '../attempt/permissions.ts';

export interface Gate {
  pass(run: Run, wish: GateWish): void;
  /** It waits here. */
  has(id: string): boolean;
  /** Whatever it waits for, it goes through now. */
  hurry(id: string): void;
  close(): void;
}

type GateWish = Readonly<{
  /** What has been spent already; then somebody is asked. */
  spent: string | undefined;
  /** Runs of its project at once; 0: any number. */
  concurrent: number;
  /** Its turn has come; or it was told to hurry, and is to be ended. */
  go(isItsTurn: boolean): void;
}>;

export type GateParts = Readonly<{
  db: Database;
  log: Log;
  places: Slots;
  askBudget: AskBudget;
  /** Ends a run that nobody wanted to pay for. */
  refuse(run: Run, text: string): Promise<void>;
}>;

type Waiting = Readonly<{ hurrying: AbortController; through(isItsTurn: boolean): void }>;

export function createGate({ db, log, places, askBudget, refuse }: GateParts): Gate {
  const waiting = new Map<string, Waiting>();
  const closing = new AbortController();

  async function tell(run: Run, reason: Reason): Promise<void> {
    await db.write(systemActor, (tx) => setReason(tx, run.id, { to: reason, fence: run.fence }));
  }

  async function isPaidFor(run: Run, spent: string, signal: AbortSignal): Promise<boolean> {
    await tell(run, 'waiting_approval');
    const decided = await askBudget(run, spent, signal);
    if (decided === 'allow') await tell(run, 'starting');
    // Nobody can be asked while the hub ends: what waits is let through and ended with it.
    if (decided === 'void') await whenAborted(signal);
    return decided !== 'deny';
  }

  /** Its place is free again when the run is over, whoever ended it, and while it waits for its model. */
  async function holdPlace(run: Run, release: () => void): Promise<void> {
    await db.feed
      .until(
        run.id,
        async () => {
          const now = await db.read((q) => findRun(q, run.id));
          return now && !isOver(now.state) && now.reason !== 'waiting_quota' ? undefined : true;
        },
        closing.signal,
      )
      .catch(() => undefined);
    release();
  }

  async function wait(
    run: Run,
    { spent, concurrent }: GateWish,
    { hurrying, through }: Waiting,
  ): Promise<void> {
    const { signal } = hurrying;
    void untilStopped(db, { id: run.id }, signal).then(
      () => through(false),
      () => undefined,
    );
    if (spent !== undefined && !(await isPaidFor(run, spent, signal)))
      return turnAway(run, `${spent} Nobody allowed more.`);
    if (concurrent > 0 && !signal.aborted) {
      const release = await places.take(run.project!, concurrent, signal);
      void holdPlace(run, release);
    }
    through(true);
  }

  /** Unless it has gone through meanwhile. */
  async function turnAway(run: Run, text: string): Promise<void> {
    const entry = waiting.get(run.id);
    if (!waiting.delete(run.id)) return;
    entry!.hurrying.abort();
    await refuse(run, text);
  }

  return {
    pass(run, wish) {
      if (wish.spent === undefined && (wish.concurrent === 0 || run.project === null)) return wish.go(true);
      const hurrying = new AbortController();
      const through = (isItsTurn: boolean) => {
        if (!waiting.delete(run.id)) return;
        hurrying.abort();
        wish.go(isItsTurn);
      };
      const entry = { hurrying, through };
      waiting.set(run.id, entry);
      void wait(run, wish, entry).catch((error: unknown) => {
        if (hurrying.signal.aborted) return;
        log.error('a run could not wait for its turn', { run: run.id, error });
        void turnAway(run, 'The hub could not ask about its budget.').catch(() => undefined);
      });
    },
    has: (id) => waiting.has(id),
    hurry: (id) => waiting.get(id)?.through(false),
    close() {
      closing.abort();
      const left = [...waiting.values()];
      waiting.clear();
      for (const { hurrying } of left) hurrying.abort();
    },
  };
}
