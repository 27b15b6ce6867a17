// Runs that wait, and when each goes on. Nobody counts the time: a hub looks which rows are due, so that neither a restart nor a
// clock that jumps loses one.
import { HubError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { thisMachine } from '../../../kernel/process/table.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { parkedRuns, wakeRun } from '../rows/parked.ts';
import { changeRun } from '../rows/runs.ts';
import type { Run } from '../run.ts';
import { appendState, tellRun } from '../stream/events.ts';

export interface Waker {
  /** This hub goes on with runs of this machine, and with those that runners had, from now on. */
  begin(): void;
  /** Something waits now that did not before. */
  nudge(): void;
  /** Those that it would go on with, for leases elsewhere. */
  waiting(): Promise<Run[]>;
  close(): Promise<void>;
}

export type WakeParts = Readonly<{
  db: Database;
  log: Log;
  hub: string;
  /** In the transaction that takes it: its task is its own again, or this throws. */
  reclaim(tx: Tx, run: Run): Promise<void>;
  /** Its turn has come. `isAnybodys`: a runner had it. */
  go(run: Run, isAnybodys: boolean): Promise<void>;
  /** Its task went to somebody else. */
  giveUp(run: Run, error: unknown): Promise<void>;
}>;

/** So often at least somebody looks: a clock that was put forward is seen within it. */
const LOOK_MS = 5_000;
const SOONEST_MS = 20;

export function createWaker({ db, log, hub, reclaim, go, giveUp }: WakeParts): Waker {
  const host = thisMachine();
  let timer: NodeJS.Timeout | undefined;
  let looking: Promise<void> | undefined;
  let isOn = false;
  let isAgain = false;

  const waiting = async () =>
    (await db.read(parkedRuns)).filter(({ quota }) => {
      const at = quota?.waits?.host;
      return at === host || at === null;
    });

  async function look(): Promise<void> {
    const now = db.now();
    let next = now + LOOK_MS;
    for (const run of await waiting()) {
      const { since } = run.quota!.waits!;
      const until = now < since ? await turnBack(run, now) : run.waitUntil!;
      if (until <= now)
        await wake(run).catch((error: unknown) =>
          log.error('a run that waited could not go on', { run: run.id, error }),
        );
      else next = Math.min(next, until);
    }
    plan(Math.max(SOONEST_MS, next - db.now()));
  }

  /** The clock was put back: what was to be waited for is as long as before. */
  async function turnBack(run: Run, now: number): Promise<number> {
    const waits = { ...run.quota!.waits!, since: now };
    const until = now + Math.max(0, run.waitUntil! - run.quota!.waits!.since);
    await db.write(systemActor, async (tx) => {
      const changed = await changeRun(tx, run.id, { waitUntil: until, quota: { ...run.quota!, waits } });
      if (changed) await appendState(tx, changed, 'task');
    });
    return until;
  }

  async function wake(run: Run): Promise<void> {
    try {
      const woken = await db.write(systemActor, async (tx) => {
        const taken = await wakeRun(tx, { ...run, hub });
        if (!taken) return undefined;
        await reclaim(tx, taken);
        await appendState(tx, taken, 'task');
        tellRun(tx, taken, { kind: 'run.changed', data: { reason: 'starting' } });
        return taken;
      });
      if (woken) await go(woken, run.quota?.waits?.host === null);
    } catch (error) {
      // What went wrong here may go right the next time; a task that is somebody else's stays so.
      if (!(error instanceof HubError) || error.code === 'internal' || error.code === 'unavailable')
        throw error;
      await giveUp(run, error);
    }
  }

  function plan(ms: number): void {
    clearTimeout(timer);
    if (isOn) timer = setTimeout(run, Math.min(ms, LOOK_MS)).unref();
  }

  function run(): void {
    if (looking) return void (isAgain = true);
    looking = look()
      .catch((error: unknown) => {
        log.warn('runs that wait could not be looked at', { error });
        plan(LOOK_MS);
      })
      .finally(() => {
        looking = undefined;
        if (isAgain && isOn) plan(SOONEST_MS);
        isAgain = false;
      });
  }

  return {
    begin() {
      isOn = true;
      run();
    },
    nudge: () => (isOn ? run() : undefined),
    waiting,
    async close() {
      isOn = false;
      clearTimeout(timer);
      await looking;
    },
  };
}
