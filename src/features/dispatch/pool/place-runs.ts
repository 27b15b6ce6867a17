// Giving runs to runners: who waits for one, which one, and the attempt that begins with it. One look at the queue serves all
// who wait here, so that a thousand idle runners cost what one does.
import type { Family } from '../../../kernel/agent-settings.ts';
import { pause } from '../../../kernel/clock.ts';
import { type Principal, systemActor } from '../../../kernel/principal.ts';
import { thisMachine } from '../../../kernel/process/table.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Database, Tx } from '../../../store/database.ts';
import type { BeginAttempt, Begun } from '../attempt/begin.ts';
import type { Usage } from '../frames/usage.ts';
import type { GoingOn } from '../quota/keep.ts';
import { ATTEMPT_LEASE_MS, holderOf } from '../rows/attempts.ts';
import { lockQueued, queuedRuns } from '../rows/queue.ts';
import { lockRun } from '../rows/runs.ts';
import type { Attempt, Run } from '../run.ts';
import { type RunOffer, QUEUE, whyNot } from '../start/queue.ts';
import { findRunner, HEAR_MS, hearRunners, type Runner, saveRunner } from './rows.ts';
import {
  hasRoom,
  isSameRunner,
  requireRunner,
  requireUnheard,
  requireVersion,
  rowOf,
  type RunnerStanding,
  standingOf,
} from './standing.ts';
import type { PlacedRun, RunnerOffer } from './wire.ts';

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
  goOn(run: Run, machine: string): Promise<GoingOn>;
  /** False when it waits for its model instead, or is for another agent. */
  mayBegin(run: Run): Promise<boolean>;
  openWork: OpenWork;
  /** By the agent's session, in runs and parts before this one. */
  usedBefore(run: Run): Promise<Usage | undefined>;
  /** An attempt whose work cannot be reached is given back. */
  giveBack(run: Run, error: unknown): Promise<void>;
  /** Whoever had it is not believed to live any more. */
  lose(attempt: Attempt): Promise<void>;
}>;

type Waiter = Readonly<{ name: string; offer: RunnerOffer; give(begun: Begun): void; isOpen(): boolean }>;

/** A runner is written down so often while it says the same. */
const SEEN_MS = 20_000;
const MOST_WAIT_MS = 30_000;
const AGAIN_MS = 250;
const AGAIN_EMPTY_MS = 5_000;

export function createPlacing(parts: PlacingParts): Placement {
  const { db, log, hub, beginAttempt } = parts;
  const machine = thisMachine();
  const waiters = new Set<Waiter>();
  const seen = new Map<string, Readonly<{ at: number; said: string }>>();
  let watching: AbortController | undefined;
  let hearing: NodeJS.Timeout | undefined;
  let again: NodeJS.Timeout | undefined;
  let stirs = 0;
  let empty: Readonly<{ asOf: number; at: number }> | undefined;

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
    await takeOver(name, offer);
    await db.write(systemActor, async (tx) => {
      requireUnheard(await findRunner(tx, name), { ...offer, name, at: tx.now });
      await saveRunner(tx, rowOf(name, offer, { hub, tokenId: who.credential ?? null, seenAt: tx.now }));
    });
    seen.set(name, { at: db.now(), said });
  }

  /** What another one of this name had is not the newcomer's: it may be at it still. */
  async function takeOver(name: string, offer: RunnerOffer): Promise<void> {
    const { runner, open } = await db.read((q) => standingOf(q, name));
    requireUnheard(runner, { ...offer, name, at: db.now() });
    if (runner && !isSameRunner(runner, offer)) for (const attempt of open) await parts.lose(attempt);
  }

  /** An answer that never arrived is given again: what is open and not known to its runner. */
  async function givenBefore({ open }: RunnerStanding, { has }: RunnerOffer): Promise<Begun | undefined> {
    const known = new Set(has.map(({ run, attempt }) => `${run}/${attempt}`));
    const lost = open.find(({ runId, n }) => !known.has(`${runId}/${n}`));
    if (!lost) return undefined;
    return db.write(systemActor, async (tx) => {
      const run = await lockRun(tx, lost.runId);
      return run?.fence === lost.fence ? begin(tx, run, lost.runner) : undefined;
    });
  }

  async function begin(tx: Tx, run: Run, name: string): Promise<Begun | undefined> {
    const standing = await standingOf(tx, name);
    const agent = standing.runner?.agents.find(({ instance }) => instance === run.instance);
    // Looked at again: since it asked it may have been drained, or asked twice.
    if (!standing.runner || !agent || (run.state === 'pending' && !hasRoom(standing))) return undefined;
    const taker = { runner: name, holder: holderOf(name), machine: standing.runner.machine, hub };
    return beginAttempt(tx, run, { taker, agent: { ...agent, family: agent.family as Family } });
  }

  /** A budget that never opens ends it here: nobody else would. */
  async function mayBegin(run: Run): Promise<boolean> {
    try {
      return await parts.mayBegin(run);
    } catch (error) {
      await parts.giveBack(run, error);
      return false;
    }
  }

  async function place(): Promise<undefined> {
    if (waiters.size === 0) return undefined;
    const [asOf, at] = [stirs, db.elapsed()];
    let isEmpty = true;
    for await (const run of queuedRuns(db)) {
      isEmpty = false;
      if (waiters.size === 0) return undefined;
      const fit = [...waiters].find(({ name, offer }) => whyNot(run, offerOf(name, offer)) === undefined);
      if (!fit) continue;
      if (!(await mayBegin(run))) continue;
      waiters.delete(fit);
      const begun = fit.isOpen() ? await take(run, fit.name) : undefined;
      if (begun) fit.give(begun);
      else if (fit.isOpen()) waiters.add(fit);
    }
    empty = isEmpty ? { asOf, at } : undefined;
    return undefined;
  }

  /** Whoever comes while nothing waits finds nothing: most looks would be for nothing. Now and then one is made all the same. */
  const isKnownEmpty = () => empty?.asOf === stirs && db.elapsed() - empty.at < AGAIN_EMPTY_MS;

  async function take(run: Run, name: string): Promise<Begun | undefined> {
    let isElsewhere = false;
    const begun = await db.write(systemActor, async (tx) => {
      const now = await lockQueued(tx, run);
      isElsewhere = now === undefined;
      return now && begin(tx, now, name);
    });
    if (isElsewhere) lookAgain();
    return begun;
  }

  /** What somebody else had locked may be there for all that. */
  function lookAgain(): void {
    again ??= setTimeout(() => {
      again = undefined;
      void tryPlace();
    }, AGAIN_MS).unref();
  }

  const tryPlace = () =>
    place().catch((error: unknown) => {
      log.warn('runs could not be placed', { error });
      return undefined;
    });

  /** Whoever waits here lives. Written for all of them together: a write for each would be most of what they cost. */
  async function hearWaiting(): Promise<void> {
    const names = [...new Set([...waiters].map(({ name }) => name))];
    await db.write(systemActor, (tx) => hearRunners(tx, names, hub));
    for (const name of names) seen.set(name, { said: seen.get(name)?.said ?? '', at: db.now() });
  }

  /** The feed is watched while somebody waits. */
  function watch(): void {
    if (watching) return isKnownEmpty() ? undefined : void tryPlace();
    watching = new AbortController();
    hearing = setInterval(() => {
      hearWaiting().catch((error: unknown) => log.warn('runners were not heard', { error }));
    }, HEAR_MS).unref();
    const stirred = () => {
      stirs += 1;
      return tryPlace();
    };
    db.feed.until(QUEUE, stirred, watching.signal).catch(() => undefined);
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
          clearInterval(hearing);
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
    try {
      const { run, startOver, used } = await parts.goOn(begun, as);
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
          start_over: startOver ?? null,
          model,
          session_id: sessionId,
          board_task: boardTask,
          used_before: (await parts.usedBefore(run)) ?? null,
          used: used ?? null,
          limits: {
            ...others,
            ...(dollars !== undefined && { dollars }),
            ...(turns !== undefined && { turns }),
          },
        },
      };
    } catch (error) {
      await parts.giveBack(begun, error);
      return undefined;
    }
  }

  return {
    async claim(who, offer, signal) {
      const name = requireRunner(who);
      requireVersion(offer.version);
      await enlist(who, name, offer);
      const standing = await db.read((q) => standingOf(q, name));
      const open = await givenBefore(standing, offer);
      if (open) return present(open, offer.machine);
      if (!hasRoom(standing)) {
        await pause(Math.min(offer.wait_ms ?? MOST_WAIT_MS, 5_000), signal);
        return undefined;
      }
      const begun = await wait(name, offer, signal);
      return begun && present(begun, offer.machine);
    },
  };
}
