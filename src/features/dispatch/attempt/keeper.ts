import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { isThere } from '../../../kernel/process/signal.ts';
import type { Database } from '../../../store/database.ts';
import { CLOCKS_APART_MS } from '../../../store/lease.ts';
import { createTree } from '../../../kernel/process/tree.ts';
import { MARKS, markedBy } from '../../../kernel/process/mark.ts';
import { readProcess, thisMachine } from '../../../kernel/process/table.ts';
import { dropHub, findHub, type RunHub, saveHub } from '../rows/hubs.ts';
import { ATTEMPT_LEASE_MS, isRunner, keepAttempts, openAttempts } from '../rows/attempts.ts';
import { hubsWithRuns, ungatedOf } from '../rows/queue.ts';
import { findRun } from '../rows/runs.ts';
import { isOver } from '../rules.ts';
import type { AdoptRuns } from '../start/adopt.ts';
import type { Attempt, Run } from '../run.ts';
import { attemptMark, readAttemptMark } from './launch.ts';

/**
 * Who runs what, and what becomes of the runs of a hub that is gone. A hub on this machine is known to be
 * gone as soon as its process is; one elsewhere when its lease has run out.
 */
export interface Keeper {
  /** This hub keeps runs from now on, until `close`. */
  begin(): Promise<void>;
  /** Takes from machines that are gone what they had. Answers how many runs. */
  recover(): Promise<number>;
  /** Kills what still carries the mark of an attempt that is over. */
  sweepStrays(): Promise<void>;
  close(): Promise<void>;
}

export type KeeperParts = Readonly<{
  db: Database;
  log: Log;
  hub: string;
  /** The attempts that this hub makes, as its leases say: whatever else it makes is not its any more. */
  kept(attempts: readonly Attempt[]): Promise<void>;
  lose(attempt: Attempt): Promise<void>;
  /** Takes runs that waited in a hub that is gone. */
  adopt: AdoptRuns;
  /** This hub has it in hand: it waits here, or runs. */
  holds(id: string): boolean;
}>;

const HUB_LEASE_MS = 30_000;
const RENEW_MS = 8_000;
/** A hub that looks around every few seconds and did not for so long was not there. */
const ASLEEP_MS = 30_000;
/** On its way from one hand to the next nothing is for so long. */
const FORGOTTEN_MS = 10_000;
/** Orphans get a moment to leave by themselves. */
const ORPHAN_PATIENCE_MS = 1_000;

export function createKeeper({ db, log, hub, kept, lose, adopt, holds }: KeeperParts): Keeper {
  const host = thisMachine();
  const born = readProcess(process.pid)?.born ?? '';
  let listening = { since: db.elapsed(), now: db.now(), elapsed: db.elapsed() };
  let begun: Promise<void> | undefined;
  let renewing: NodeJS.Timeout | undefined;
  let isClosed = false;
  let idleSince: ReadonlyMap<string, number> = new Map();

  const renew = async () =>
    kept(
      await db.write(systemActor, async (tx) => {
        await saveHub(tx, { hub, host, pid: process.pid, born, leaseUntil: tx.now + HUB_LEASE_MS });
        return keepAttempts(tx, hub);
      }),
    );

  async function start(): Promise<void> {
    await renew();
    renewing = setInterval(() => {
      renew().catch((error: unknown) =>
        log.warn('the lease of this hub on its runs was not renewed', { error }),
      );
    }, RENEW_MS).unref();
  }

  function isGone(found: RunHub | undefined): boolean {
    if (!found) return true;
    if (found.host !== host) return found.leaseUntil < db.now();
    return !isAlive(found);
  }

  /**
   * While no hub was there, no runner could say that it lives: one that has just begun, or slept with its machine, waits for that long.
   * When the clock was set, nobody knows what the leases mean.
   */
  function listen(): void {
    const [now, elapsed] = [db.now(), db.elapsed()];
    const [passed, jumped] = [
      elapsed - listening.elapsed,
      now - listening.now - (elapsed - listening.elapsed),
    ];
    const isAnew = passed > ASLEEP_MS || Math.abs(jumped) > ASLEEP_MS;
    listening = { since: isAnew ? elapsed : listening.since, now, elapsed };
  }

  /** One that lies further ahead than any was set before the clock was set back. */
  const isPast = (leaseUntil: number) =>
    leaseUntil < db.now() || leaseUntil > db.now() + ATTEMPT_LEASE_MS + CLOCKS_APART_MS;

  async function isLost({ holder, leaseUntil }: Attempt): Promise<boolean> {
    if (!isRunner(holder)) return holder !== hub && isGone(await db.read((q) => findHub(q, holder)));
    return isPast(leaseUntil) && listening.elapsed - listening.since > ATTEMPT_LEASE_MS;
  }

  async function endAttempts(): Promise<number> {
    listen();
    const open = await db.read(openAttempts);
    const lost = await Promise.all(open.map(async (each) => ((await isLost(each)) ? [each] : [])));
    await Promise.all(
      lost.flat().map(async (attempt) => {
        if (attempt.machine === host) await endProcesses({ id: attempt.runId, attempt: attempt.n });
        await lose(attempt);
      }),
    );
    return lost.flat().length;
  }

  /** Accepted here, and in nobody's hands: what was to begin it failed, or nobody heard that it was written. */
  async function forgottenHere(): Promise<readonly Run[]> {
    const idle = (await db.read((q) => ungatedOf(q, hub))).filter(({ id }) => !holds(id));
    const since = new Map(idle.map(({ id }) => [id, idleSince.get(id) ?? db.now()]));
    idleSince = since;
    return idle.filter(({ id }) => since.get(id)! <= db.now() - FORGOTTEN_MS);
  }

  async function adoptWaiting(): Promise<number> {
    const own = await forgottenHere();
    if (own.length > 0) await adopt(own);
    let found = own.length;
    for (const other of await db.read(hubsWithRuns)) {
      if (isClosed || other === hub || !isGone(await db.read((q) => findHub(q, other)))) continue;
      const runs = await db.read((q) => ungatedOf(q, other));
      if (runs.length > 0) await adopt(runs);
      found += runs.length;
    }
    return found;
  }

  return {
    begin() {
      begun ??= start();
      return begun;
    },
    async recover() {
      const ended = (await endAttempts()) + (await adoptWaiting());
      if (ended > 0) log.warn('runs of a machine that is gone were taken from it', { runs: ended });
      return ended;
    },
    async sweepStrays() {
      for (const value of new Set(markedBy(MARKS.attempt).map((each) => each.value))) {
        const of = readAttemptMark(value);
        const run = of && (await db.read((q) => findRun(q, of.id)));
        // A run that is not in this database belongs to another hub.
        if (run && (isOver(run.state) || run.attempt !== of.attempt)) await endProcesses(of);
      }
    },
    async close() {
      isClosed = true;
      clearInterval(renewing);
      if (begun) await begun.then(() => db.write(systemActor, (tx) => dropHub(tx, hub)));
    },
  };
}

const endProcesses = (of: Pick<Run, 'id' | 'attempt'>) => createTree(attemptMark(of)).end(ORPHAN_PATIENCE_MS);

function isAlive({ pid, born }: RunHub): boolean {
  return born === '' ? isThere(pid) : readProcess(pid)?.born === born;
}
