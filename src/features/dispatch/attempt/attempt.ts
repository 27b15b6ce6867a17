// One start of one agent for a run, by this hub: what it is told, what is watched, what it left.
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config, Environment } from '../../../kernel/config.ts';
import { makeFolders } from '../../../kernel/folders.ts';
import type { Log } from '../../../kernel/log.ts';
import { type Actor, systemActor } from '../../../kernel/principal.ts';
import { thisMachine } from '../../../kernel/process/table.ts';
import type { Database } from '../../../store/database.ts';
import type { Agent } from '../agents/agents.ts';
import { FAMILY_FACTS, isNamed } from '../agents/families.ts';
import { addUsage, type Usage } from '../frames/common.ts';
import { type Desk, executeRun } from '../lanes/run-agent.ts';
import type { RunAcp } from '../lanes/lane.ts';
import type { GoingOn } from '../quota/keep.ts';
import { changeHeld, lockRun, sessionOpenedAt, usageOfSession } from '../rows/runs.ts';
import type { Reason, Run } from '../run.ts';
import { projectLimits } from '../start/budgets.ts';
import { scratchOf } from '../start/place.ts';
import { setReason, tellRun } from '../stream/events.ts';
import { keepEvents } from '../stream/kept-events.ts';
import { createRunWriter, type RunWriter } from '../stream/run-writer.ts';
import type { Review } from '../worktree/worktrees.ts';
import type { Active, Stop } from './active.ts';
import type { BeginAttempt, Begun, Taker } from './begin.ts';
import type { End } from './end.ts';
import { watchLimits } from './limits.ts';
import type { RunMail } from './run-mail.ts';
import { untilStopped } from './stop.ts';
import { watchSpending } from './spending-watch.ts';

export type AttemptParts = Readonly<{
  db: Database;
  log: Log;
  config: Config;
  env: Environment;
  runAcp: RunAcp;
  /** This hub among those who take runs. */
  own: Readonly<{ runner: string; hub: string }>;
  beginAttempt: BeginAttempt;
  /** What an attempt that follows another is told, and which session it goes on with. */
  goOn(run: Run): Promise<GoingOn>;
  /** Where this hub is reached, when it is. */
  address(): string | undefined;
  /** Asked when a budget is spent: may it go on? */
  mayGoOn(run: Run, what: string, signal: AbortSignal): Promise<boolean>;
  /** Makes its place ready before anything is started there. */
  prepare(run: Run, writer: RunWriter, stopping: AbortSignal): Promise<void>;
  /** What waits for its agent, for its prompts. */
  mail: RunMail;
  /** Looks at what it left, before its end is written. */
  review(run: Run, isDone: boolean): Promise<Review | undefined>;
}>;

/** One start of one agent for a run, from its token to its last word. */
export interface Attempts {
  /** Undefined when the run was cancelled before. Throws when the agent could not be started. */
  make(entry: Active, agent: Agent): Promise<Partial<End> | undefined>;
}

export function createAttempts(parts: AttemptParts): Attempts {
  const { db, log, config } = parts;
  const taker: Taker = { ...parts.own, holder: parts.own.hub, machine: thisMachine() };

  function begin(run: Run, agent: Agent): Promise<Begun | undefined> {
    return db.write(systemActor, async (tx) => {
      const now = await lockRun(tx, run.id);
      if (now?.fence !== run.fence) return undefined;
      return parts.beginAttempt(tx, now, { taker, agent, ...ownFolder(now) });
    });
  }

  /** Whoever needs no folder in particular has an empty one here. */
  function ownFolder({ id, wants }: Run): Readonly<{ cwd?: string }> {
    if (wants.machine !== undefined) return {};
    const cwd = scratchOf(config.home, id);
    makeFolders(cwd);
    return { cwd };
  }

  async function tellReason(run: Run, to: Reason, from?: Reason): Promise<void> {
    await db.write(systemActor, (tx) => setReason(tx, run.id, { to, from, fence: run.fence }));
  }

  /** Written while it runs: a hub that is killed has no later. */
  async function remember(run: Run, sessionId: string): Promise<void> {
    await db
      .write(systemActor, async (tx) => {
        const changed = await changeHeld(tx, run, { sessionId });
        if (changed) tellRun(tx, changed, { kind: 'run.changed', data: { session: sessionId } });
      })
      .catch((error: unknown) => log.warn('the session of a run was not stored', { run: run.id, error }));
  }

  /** A session that its agent cannot open again at once is left alone for as long as it takes. */
  async function rest({ id, sessionId }: Run, { family, lane }: Agent, signal: AbortSignal): Promise<void> {
    const restMs = lane === 'acp' && isNamed(family) ? FAMILY_FACTS[family].acp.restMs : undefined;
    if (!restMs || sessionId === null) return;
    const openedAt = await db.read((q) => sessionOpenedAt(q, sessionId, id));
    if (openedAt !== undefined) await sleep(restMs(openedAt, db.now()), undefined, { signal });
  }

  /** Its processes stand still until a person has decided. */
  async function budgetSpent(entry: Active, what: string): Promise<boolean> {
    const { run, stopping } = entry;
    entry.child?.tree.signal('SIGSTOP');
    await tellReason(run, 'waiting_approval');
    const isAllowed = await parts.mayGoOn(run, what, stopping.signal).catch(() => false);
    entry.child?.tree.signal('SIGCONT');
    if (isAllowed) await tellReason(run, 'running');
    return isAllowed;
  }

  async function make(entry: Active, agent: Agent): Promise<Partial<End> | undefined> {
    const begun = await begin(entry.run, agent);
    if (!begun) return undefined;
    const { token } = begun;
    // What is stored is masked; the agent is told what it was sent.
    const { run, startOver, used } = await parts.goOn({ ...begun.run, prompt: entry.run.prompt });
    entry.run = run;
    entry.startedAt = db.now();
    entry.hasSpoken = false;
    const news = await parts.mail.listen(run, agent.lane === 'acp');
    const actor: Actor = { id: run.agent, asserted: false };
    const lost = () => entry.stopping.abort({ kind: 'taken' } satisfies Stop);
    const over = new AbortController();
    const { id, fence } = run;
    void untilStopped(db, { id, fence }, AbortSignal.any([entry.stopping.signal, over.signal])).then(
      (why) => entry.stopping.abort({ kind: why } satisfies Stop),
      () => undefined,
    );
    const writer = createRunWriter({
      log,
      run,
      store: keepEvents({ db, run, actor, lost }),
      secrets: [token],
      hold: (isHeld) => entry.child?.hold(isHeld),
    });
    const spending = await watchSpending(db, run, projectLimits(config, run.project));
    const limits = watchLimits(entry, { writer, spending, log }, (what) => budgetSpent(entry, what));
    const desk: Desk = {
      writer,
      setReason: (to, from) => tellReason(run, to, from),
      session: (id) => remember(run, id),
      heard: limits.heard,
      // Of the whole run, as its limits are.
      spent: (usage) => limits.spent(used ? addUsage(used, usage) : usage),
      news: news.take,
      runAcp: parts.runAcp,
    };
    try {
      await parts.prepare(run, writer, entry.stopping.signal);
      await rest(run, agent, entry.stopping.signal);
      const { outcome, lastMessage } = await executeRun(entry, desk, {
        agent,
        means: {
          env: parts.env,
          address: parts.address(),
          token,
          container: projectLimits(config, run.project).container,
        },
        folder: join(config.home, 'runs', run.id),
        before: await usageBefore(db, run),
        startOver,
      });
      const left = agent.lane === 'acp' ? 0 : await news.left();
      if (left > 0)
        writer.notice(
          `${left === 1 ? 'A letter waits' : `${left} letters wait`} for ${run.agent}, unread: a plain command has no next prompt.`,
        );
      const isDone = outcome.isDone && !entry.stopping.signal.aborted;
      return { outcome, lastMessage, review: await parts.review(run, isDone) };
    } finally {
      over.abort();
      news.end();
      limits.end();
      await writer.close();
    }
  }

  return { make };
}

/** What the agent's session had used before this run: some agents count from its beginning. */
export async function usageBefore(
  db: Pick<Database, 'read'>,
  { id, sessionId }: Run,
): Promise<Usage | undefined> {
  if (sessionId === null) return undefined;
  const all = await db.read((q) => usageOfSession(q, sessionId, id));
  return all.reduce<Usage | undefined>(
    (sum, each) => (each && sum ? addUsage(sum, each) : (each ?? sum)),
    undefined,
  );
}
