import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Database } from '../../../store/database.ts';
import { createTree } from '../../../kernel/process/tree.ts';
import { MARKS, markedBy } from '../../../kernel/process/mark.ts';
import { readProcess, thisMachine } from '../../../kernel/process/table.ts';
import { dropHub, findHub, type RunHub, saveHub } from '../rows/hubs.ts';
import { findRun, hubsWithRuns, openRunsOf } from '../rows/runs.ts';
import { isOver } from '../rules.ts';
import type { Run } from '../run.ts';
import { runMark } from './launch.ts';

/**
 * Who runs what, and what becomes of the runs of a hub that is gone. A hub on this machine is known to be
 * gone as soon as its process is; one elsewhere when its lease has run out.
 */
export interface Keeper {
  /** This hub keeps runs from now on, until `close`. */
  begin(): Promise<void>;
  /** Ends what hubs left behind that are gone. Answers how many runs. */
  recover(): Promise<number>;
  /** Kills what still carries the mark of a run that is over. */
  sweepStrays(): Promise<void>;
  close(): Promise<void>;
}

export type KeeperParts = Readonly<{ db: Database; log: Log; hub: string; expire(run: Run): Promise<void> }>;

const LEASE_MS = 30_000;
const RENEW_MS = 8_000;
/** Orphans get a moment to leave by themselves. */
const ORPHAN_PATIENCE_MS = 1_000;

export function createKeeper({ db, log, hub, expire }: KeeperParts): Keeper {
  const host = thisMachine();
  const born = readProcess(process.pid)?.born ?? '';
  let begun: Promise<void> | undefined;
  let renewing: NodeJS.Timeout | undefined;

  const renew = () =>
    db.write(systemActor, (tx) =>
      saveHub(tx, { hub, host, pid: process.pid, born, leaseUntil: tx.now + LEASE_MS }),
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

  async function endRunsOf(gone: string): Promise<number> {
    const runs = await db.read((q) => openRunsOf(q, gone));
    await Promise.all(
      runs.map(async (run) => {
        await createTree(runMark(run.id)).end(ORPHAN_PATIENCE_MS);
        await expire(run);
      }),
    );
    return runs.length;
  }

  return {
    begin() {
      begun ??= start();
      return begun;
    },
    async recover() {
      let ended = 0;
      for (const other of await db.read(hubsWithRuns)) {
        if (other === hub) continue;
        if (isGone(await db.read((q) => findHub(q, other)))) ended += await endRunsOf(other);
      }
      if (ended > 0) log.warn('runs of a hub that is gone were ended', { runs: ended });
      return ended;
    },
    async sweepStrays() {
      for (const id of new Set(markedBy(MARKS.run).map(({ value }) => value))) {
        const run = await db.read((q) => findRun(q, id));
        // A run that is not in this database belongs to another hub.
        if (run && isOver(run.state)) await createTree(runMark(id)).end(ORPHAN_PATIENCE_MS);
      }
    },
    async close() {
      clearInterval(renewing);
      if (begun) await begun.then(() => db.write(systemActor, (tx) => dropHub(tx, hub)));
    },
  };
}

function isAlive({ pid, born }: RunHub): boolean {
  if (born !== '') return readProcess(pid)?.born === born;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
