// A hub that takes runs: what was sent to it at once, and from the queue whatever it has room for.
import type { Config, Environment } from '../../../kernel/config.ts';
import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import { thisMachine } from '../../../kernel/process/table.ts';
import type { Database } from '../../../store/database.ts';
import { type Agent, listAgents } from '../agents/agents.ts';
import type { RunSupervisor } from '../attempt/supervisor.ts';
import { queuedRuns, queueRun } from '../rows/queue.ts';
import { findRun } from '../rows/runs.ts';
import type { Run } from '../run.ts';
import { type RunOffer, QUEUE, tellQueued, whyNot } from './queue.ts';

export interface Worker {
  /** A run that was sent here, as it was sent: what is stored of it is masked. */
  offer(run: Run, agents: readonly Agent[]): Promise<void>;
  /** From now on it takes what waits, until `close`. */
  begin(): void;
  look(): Promise<void>;
  /** What this hub has to offer; undefined where it only coordinates. */
  own(): RunOffer | undefined;
  agents(): readonly Agent[] | undefined;
  close(): void;
}

type WorkerParts = Readonly<{
  db: Database;
  log: Log;
  config: Config;
  env: Environment;
  name: string;
  supervisor: Pick<RunSupervisor, 'submit' | 'has' | 'hasRoom'>;
  /** This hub is known to keep runs. */
  ready(): Promise<void>;
}>;

export function createWorker({ db, log, config, env, name, supervisor, ready }: WorkerParts): Worker {
  const closing = new AbortController();
  const { isRunner } = config.dispatch;

  function own(): Readonly<{ offer: RunOffer; agents: readonly Agent[] }> {
    const agents = listAgents(config, env).filter(({ callable }) => callable);
    const names = agents.map(({ instance }) => instance);
    return { agents, offer: { name, machine: thisMachine(), isThere: true, labels: [], agents: names } };
  }

  async function look(): Promise<void> {
    if (!isRunner || closing.signal.aborted) return;
    let known: ReturnType<typeof own> | undefined;
    for await (const run of queuedRuns(db)) {
      // What is installed is asked for where somebody waits for it.
      const { offer, agents } = (known ??= own());
      if (supervisor.has(run.id) || !supervisor.hasRoom(run) || whyNot(run, offer) !== undefined) continue;
      await ready();
      // Looked at again: what was sent here meanwhile is begun as it was sent.
      if (!supervisor.has(run.id))
        supervisor.submit(
          run,
          agents.filter(({ instance }) => instance === run.instance),
        );
    }
  }

  const tryLook = () =>
    look().catch((error: unknown) => {
      if (!closing.signal.aborted) log.warn('runs that wait could not be looked for', { error });
    });

  return {
    async offer(run, agents) {
      const isAble = isRunner && whyNot(run, own().offer) === undefined;
      if (isAble && supervisor.hasRoom(run)) return supervisor.submit(run, agents);
      const now = await db.write(systemActor, async (tx) => {
        const waiting = await queueRun(tx, run);
        if (waiting) tellQueued(tx, waiting);
        return waiting ?? findRun(tx, run.id);
      });
      // It went to another hub while this one stood still.
      if (now?.fence !== run.fence) return;
      // Whoever has room first; what was cancelled meanwhile is ended here.
      if (isAble || now.queuedAt === null) supervisor.submit({ ...run, queuedAt: now.queuedAt }, agents);
    },
    begin() {
      if (!isRunner) return;
      void db.feed.until(QUEUE, tryLook as () => Promise<undefined>, closing.signal).catch(() => undefined);
    },
    look: tryLook,
    own: () => (isRunner ? own().offer : undefined),
    agents: () => (isRunner ? own().agents : undefined),
    close: () => closing.abort(),
  };
}
