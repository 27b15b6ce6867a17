// Runs that a hub had accepted when it died, and that nobody could take yet: nothing of them was ever done, so the next hub takes
// them through a gate of its own, whatever may be retried.
import type { Config } from '../../../kernel/config.ts';
import { toHubError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Database, Tx } from '../../../store/database.ts';
import { adoptRun } from '../rows/queue.ts';
import type { Run, RunError } from '../run.ts';
import { appendState, tellRun } from '../stream/events.ts';
import { allowanceFor, projectLimits } from './budgets.ts';

type AdoptParts = Readonly<{
  db: Database;
  log: Log;
  config: Config;
  hub: string;
  /** This hub is known to keep runs: one that is not known would lose them at once. */
  ready(): Promise<void>;
  /** What was asked for it where nobody waits for the answer any more is asked no more. */
  withdraw(tx: Tx, run: Run): Promise<void>;
  /** Its task is its own, or this throws. */
  reclaim(tx: Tx, run: Run): Promise<void>;
  pass(run: Run, gate: Readonly<{ spent: string | undefined; concurrent: number }>): Promise<void>;
  end(run: Run, error: RunError): Promise<void>;
}>;

/** Never throws: what could not be taken now is looked at again. */
export type AdoptRuns = (runs: readonly Run[]) => Promise<void>;

export function createAdoptRuns(parts: AdoptParts): AdoptRuns {
  const { db, log, config, hub, reclaim, withdraw, pass, end } = parts;

  /** Of all hubs that look one has it. */
  function take(run: Run): Promise<Run | undefined> {
    return db.write(systemActor, async (tx) => {
      const taken = await adoptRun(tx, run, hub);
      if (!taken) return undefined;
      await withdraw(tx, taken);
      await reclaim(tx, taken);
      await appendState(tx, taken, 'task');
      tellRun(tx, taken, { kind: 'run.changed', data: { reason: 'starting' } });
      return taken;
    });
  }

  async function adopt(run: Run): Promise<void> {
    if (run.reason === 'cancelling') return end(run, { class: 'crash', text: 'the hub that had it is gone' });
    let taken: Run | undefined;
    try {
      taken = await take(run);
    } catch (thrown) {
      const { code, message } = toHubError(thrown);
      if (code === 'internal' || code === 'unavailable') throw thrown;
      // Its task went to somebody else while nobody kept it.
      return end(run, { class: 'config', text: `It waited in a hub that is gone: ${message}` });
    }
    if (!taken) return undefined;
    const { project, limits: own } = taken;
    const of = projectLimits(config, project);
    const { spent } = await db.read((q) => allowanceFor(q, project, { own, of, now: db.now() }));
    // Who has waited for its model was paid for when it began.
    return pass(taken, { spent: taken.startedAt === null ? spent : undefined, concurrent: of.concurrent });
  }

  return async (runs) => {
    await parts.ready();
    // One after the other: whoever came first is first at the gate.
    for (const run of runs)
      await adopt(run).catch((error: unknown) =>
        log.error('a run of a hub that is gone could not be taken', { run: run.id, error }),
      );
  };
}
