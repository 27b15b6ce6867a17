// Giving runs to runners: who waits for one, which one, and the attempt that begins with it. One look at the queue serves all
// who wait here, so that a thousand idle runners cost what one does.
import type { Family } from '../../../kernel/agent-settings.ts';
import { HubError } from '../../../kernel/errors.ts';
import { type Principal, systemActor } from '../../../kernel/principal.ts';
import { thisMachine } from '../../../kernel/process/table.ts';
import { VERSION } from '../../../kernel/version.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Database, Tx } from '../../../store/database.ts';
import type { BeginAttempt, Begun } from '../attempt/begin.ts';
import { ATTEMPT_LEASE_MS, holderOf, openAttemptsOf } from '../rows/attempts.ts';
import { listQueued } from '../rows/queue.ts';
import { lockRun } from '../rows/runs.ts';
import type { Run } from '../run.ts';
import { type RunOffer, QUEUE, whyNot } from '../start/queue.ts';
import { findRunner, type Runner, saveRunner } from './rows.ts';
import { type PlacedRun, MOST_SLOTS, type RunnerOffer } from './wire.ts';

export interface Placement {
  /** Undefined when there is nothing for it in time. */
  claim(who: Principal, offer: RunnerOffer, signal: AbortSignal): Promise<PlacedRun | undefined>;
}

/** Where the work of a run lies, made ready for this attempt. */
type OpenWork = (run: Run) => Promise<PlacedRun['git']>;

type PlacingParts = Readonly<{
  db: Database;
  log: Log;
  hub: string;
  beginAttempt: BeginAttempt;
  goOn(run: Run, machine: string): Promise<Run>;
  openWork: OpenWork;
  /** An attempt whose work cannot be reached is given back. */
  giveBack(run: Run, error: unknown): Promise<void>;
}>;

type Waiter = Readonly<{ name: string; offer: RunnerOffer; give(begun: Begun): void; isOpen(): boolean }>;

const MOST_LOOKED_AT = 200;
/** A runner is written down so often while it says the same. */
const SEEN_MS = 15_000;
const MOST_WAIT_MS = 30_000;

export function createPlacing(parts: PlacingParts): Placement {
  const { db, log, hub, beginAttempt } = parts;
  const machine = thisMachine();
  const waiters = new Set<Waiter>();
  const seen = new Map<string, Readonly<{ at: number; said: string }>>();
  let watching: AbortController | undefined;

  const offerOf = (name: string, { labels, agents }: RunnerOffer): RunOffer => ({
    name,
    machine,
    isThere: false,
    labels,
    agents: agents.map(({ instance }) => instance),
  });

  /** What it says, and that it lives. Refused while another process has its name. */
  async function enlist(who: Principal, name: string, offer: RunnerOffer): Promise<void> {
    const { has: _has, wait_ms: _wait, ...rest } = offer;
    const said = JSON.stringify(rest);
    const last = seen.get(name);
    if (last?.said === said && db.now() - last.at < SEEN_MS) return;
    await db.write(systemActor, async (tx) => {
      const known = await findRunner(tx, name);
      if (known && known.process !== offer.process && tx.now - known.seenAt < ATTEMPT_LEASE_MS)
        throw new HubError('conflict', `Another runner is called ${name}, and was heard just now.`, {
          hint: 'Make a token of its own for each: `holdfast token create --runner NAME`.',
        });
      await saveRunner(tx, rowOf(name, offer, { tokenId: who.credential ?? null, seenAt: tx.now }));
    });
    seen.set(name, { at: db.now(), said });
  }

  /** An answer that never arrived is given again: what is open and not known to its runner. */
  async function again(name: string, { has }: RunnerOffer): Promise<Begun | undefined> {
    const known = new Set(has.map(({ run, attempt }) => `${run}/${attempt}`));
    const open = await db.read((q) => openAttemptsOf(q, holderOf(name)));
    const lost = open.find(({ runId, n }) => !known.has(`${runId}/${n}`));
    if (!lost) return undefined;
    return db.write(systemActor, async (tx) => {
      const run = await lockRun(tx, lost.runId);
      return run?.fence === lost.fence ? begin(tx, run, name) : undefined;
    });
  }

  async function begin(tx: Tx, run: Run, name: string): Promise<Begun | undefined> {
    const runner = await findRunner(tx, name);
    const agent = runner?.agents.find(({ instance }) => instance === run.instance);
    if (!runner || !agent) return undefined;
    const taker = { runner: name, holder: holderOf(name), machine: runner.machine, hub };
    return beginAttempt(tx, run, { taker, agent: { ...agent, family: agent.family as Family } });
  }

  /** Its own word about slots is a bound, not a right: what it has is counted here. */
  async function hasRoom(name: string, { slots }: RunnerOffer): Promise<boolean> {
    const runner = await db.read((q) => findRunner(q, name));
    if (!runner || runner.drained) return false;
    const open = await db.read((q) => openAttemptsOf(q, holderOf(name)));
    return open.length < Math.min(slots, MOST_SLOTS);
  }

  async function place(): Promise<undefined> {
    if (waiters.size === 0) return undefined;
    const queued = await db.read((q) => listQueued(q, MOST_LOOKED_AT));
    for (const run of queued) {
      const fit = [...waiters].find(({ name, offer }) => whyNot(run, offerOf(name, offer)) === undefined);
      if (!fit) continue;
      waiters.delete(fit);
      const begun = fit.isOpen()
        ? await db.write(systemActor, async (tx) => {
            const now = await lockRun(tx, run.id);
            return now?.fence === run.fence ? begin(tx, now, fit.name) : undefined;
          })
        : undefined;
      if (begun) fit.give(begun);
      else if (fit.isOpen()) waiters.add(fit);
    }
    return undefined;
  }

  const tryPlace = () =>
    place().catch((error: unknown) => {
      log.warn('runs could not be placed', { error });
      return undefined;
    });

  /** The feed is watched while somebody waits. */
  function watch(): void {
    if (watching) return void tryPlace();
    watching = new AbortController();
    db.feed.until(QUEUE, tryPlace, watching.signal).catch(() => undefined);
  }

  function wait(name: string, offer: RunnerOffer, signal: AbortSignal): Promise<Begun | undefined> {
    return new Promise((resolve) => {
      const done = (begun?: Begun) => {
        waiters.delete(waiter);
        clearTimeout(timer);
        signal.removeEventListener('abort', leave);
        if (waiters.size === 0) {
          watching?.abort();
          watching = undefined;
        }
        resolve(begun);
      };
      const leave = () => done();
      const waiter: Waiter = { name, offer, give: done, isOpen: () => !signal.aborted };
      const timer = setTimeout(leave, Math.min(offer.wait_ms ?? MOST_WAIT_MS, MOST_WAIT_MS));
      signal.addEventListener('abort', leave, { once: true });
      waiters.add(waiter);
      watch();
    });
  }

  async function present(
    { run: begun, token }: Begun,
    as: Runner['machine'],
  ): Promise<PlacedRun | undefined> {
    const run = await parts.goOn(begun, as);
    try {
      const git = await parts.openWork(run);
      const { instance, agent, team, project, prompt, model, sessionId, boardTask, limits } = run;
      const { dollars, turns, ...others } = limits;
      return {
        run: run.id,
        attempt: run.attempt,
        fence: run.fence,
        lease_until: new Date(db.now() + ATTEMPT_LEASE_MS).toISOString(),
        now: new Date(db.now()).toISOString(),
        git,
        token,
        order: {
          instance,
          agent,
          team,
          project,
          prompt,
          model,
          session_id: sessionId,
          board_task: boardTask,
          limits: {
            ...others,
            ...(dollars !== undefined && { dollars }),
            ...(turns !== undefined && { turns }),
          },
        },
      };
    } catch (error) {
      await parts.giveBack(run, error);
      return undefined;
    }
  }

  return {
    async claim(who, offer, signal) {
      const name = requireRunner(who);
      requireVersion(offer.version);
      await enlist(who, name, offer);
      const open = await again(name, offer);
      if (open) return present(open, offer.machine);
      if (!(await hasRoom(name, offer))) {
        await rest(Math.min(offer.wait_ms ?? MOST_WAIT_MS, 5_000), signal);
        return undefined;
      }
      const begun = await wait(name, offer, signal);
      return begun && present(begun, offer.machine);
    },
  };
}

function rest(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener('abort', () => (clearTimeout(timer), resolve()), { once: true });
  });
}

/** The name of its token is its name. */
export function requireRunner({ bound }: Principal): string {
  if (bound.agent !== undefined) return bound.agent;
  throw new HubError('forbidden', 'Only a runner takes runs.', {
    hint: 'Make it a token: `holdfast token create --runner NAME`.',
  });
}

function requireVersion(version: string): void {
  if (version === VERSION) return;
  throw new HubError('conflict', `This hub is Holdfast ${VERSION}, the runner ${version.slice(0, 32)}.`, {
    hub: VERSION,
    runner: version.slice(0, 32),
    hint: 'Install the same version on both.',
  });
}

function rowOf(name: string, offer: RunnerOffer, more: Pick<Runner, 'tokenId' | 'seenAt'>): Runner {
  const { process, machine, system, version, agents, labels, projects } = offer;
  const slots = Math.min(offer.slots, MOST_SLOTS);
  return {
    name,
    process,
    machine,
    system,
    version,
    slots,
    agents,
    labels,
    projects,
    hub: null,
    drained: false,
    ...more,
  };
}
