// One start of one agent for a run: its token, its folder, its lane, its last word.
import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Config, Environment } from '../../../kernel/config.ts';
import { type Actor, systemActor } from '../../../kernel/principal.ts';
import type { Log } from '../../../kernel/log.ts';
import { thisMachine } from '../../../kernel/process/table.ts';
import { RUN_TOKEN } from '../../../kernel/redact.ts';
import { hubCaller } from '../../../store/calls.ts';
import type { Database, Tx } from '../../../store/database.ts';
import type { Access } from '../../access/access.ts';
import type { Active } from './active.ts';
import type { Agent } from '../agents/agents.ts';
import { projectLimits } from '../start/budgets.ts';
import { FAMILY_FACTS, isNamed, readerFor } from '../agents/families.ts';
import type { End } from './end.ts';
import { appendState, setReason, tellRun } from '../stream/events.ts';
import { type Common, addUsage, type Usage } from '../frames/common.ts';
import { attachmentOf, launchFor } from './launch.ts';
import { runExec } from '../lanes/exec.ts';
import type { LaneParts, LaneOutcome, RunAcp } from '../lanes/lane.ts';
import { NO_NEWS, type RunMail } from './run-mail.ts';
import { createRunWriter, type RunWriter } from '../stream/run-writer.ts';
import { watchLimits } from './limits.ts';
import { insertAttempt } from '../rows/attempts.ts';
import { changeRun, claimRun, findRun, sessionOpenedAt, usageOfSession } from '../rows/runs.ts';
import { RUN_SCOPES } from '../rules.ts';
import { watchSpending } from './spending-watch.ts';
import type { Reason, Run } from '../run.ts';
import type { Review } from '../worktree/worktrees.ts';

export type AttemptParts = Readonly<{
  db: Database;
  log: Log;
  config: Config;
  env: Environment;
  access: Access;
  runAcp: RunAcp;
  /** What this hub is called among those who take runs. */
  runner: string;
  /** Where this hub is reached, when it is. */
  address(): string | undefined;
  /** Asked when a budget is spent: may it go on? */
  mayGoOn(run: Run, what: string, signal: AbortSignal): Promise<boolean>;
  /** Its token is made: from here on it and the agent that shows the token are one. */
  seated(tx: Tx, before: Run, run: Run): Promise<void>;
  /** Makes its place ready before anything is started there. */
  prepare(run: Run, writer: RunWriter): Promise<void>;
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

const HOUR = 3_600_000;
/** So long an attempt is believed to live without a word of whoever makes it. */
const ATTEMPT_LEASE_MS = 45_000;
/** Of the last word its beginning is shown, masked before it is cut. */
const MOST_LAST = 20_000;
/** What ends sooner is never told to be running: that would be a transaction for nobody. */
const RUNNING_MS = 60;

export function createAttempts(parts: AttemptParts): Attempts {
  const { db, log, config, access } = parts;

  /** Another agent of the same attempt has it already. */
  async function claim(tx: Tx, now: Run): Promise<boolean> {
    if (now.state === 'active') return now.reason !== 'cancelling';
    const claimed = await claimRun(tx, now.id, parts.runner);
    if (!claimed) return false;
    await insertAttempt(tx, claimed, {
      runner: parts.runner,
      machine: thisMachine(),
      leaseUntil: tx.now + ATTEMPT_LEASE_MS,
    });
    return true;
  }

  /** Active from here on, with a token that dies with the run. */
  function begin(run: Run, agent: Agent): Promise<Readonly<{ run: Run; token: string }> | undefined> {
    return db.write(systemActor, async (tx) => {
      const now = await findRun(tx, run.id);
      if (!now || !(await claim(tx, now))) return undefined;
      const desk = access.in(tx, hubCaller);
      const { text, token } = await desk.createToken({
        agent: run.agent,
        ...(run.team !== null && { team: run.team }),
        scopes: [...RUN_SCOPES],
        expiresAt: tx.now + run.limits.minutes * 60_000 + HOUR,
        label: `run ${run.id}`,
      });
      if (now.tokenId !== null) await desk.revokeToken(now.tokenId);
      const changed = await changeRun(tx, run.id, {
        state: 'active',
        reason: 'starting',
        instance: agent.instance,
        family: agent.family,
        lane: agent.lane,
        tokenId: token.id,
        startedAt: tx.now,
      });
      if (!changed) return undefined;
      await parts.seated(tx, now, changed);
      await appendState(tx, changed, 'task');
      tellRun(tx, changed, { kind: 'run.started' });
      return { run: changed, token: text };
    });
  }

  async function tellReason(run: Run, to: Reason, from?: Reason): Promise<void> {
    await db.write(systemActor, (tx) => setReason(tx, run.id, { to, from }));
  }

  /** Written while it runs: a hub that is killed has no later. */
  async function remember(run: Run, sessionId: string): Promise<void> {
    await db
      .write(systemActor, async (tx) => {
        const changed = await changeRun(tx, run.id, { sessionId });
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
    const run: Run = { ...begun.run, prompt: entry.run.prompt };
    entry.run = run;
    const news = agent.lane === 'acp' ? await parts.mail.listen(run) : NO_NEWS;
    const actor: Actor = { id: run.agent, asserted: false };
    const folder = join(config.home, 'runs', run.id);
    const tmp = join(folder, 'tmp');
    await mkdir(tmp, { recursive: true, mode: 0o700 });
    const hold = (isHeld: boolean) => entry.child?.hold(isHeld);
    const writer = createRunWriter({ db, log, run, actor, secrets: [token], hold });
    let telling: NodeJS.Timeout | undefined;
    let lastMessage: string | undefined;
    let { sessionId } = run;
    const tell = (reason: Reason) => {
      clearTimeout(telling);
      return tellReason(run, reason);
    };
    const spending = await watchSpending(db, run, projectLimits(config, run.project));
    const limits = watchLimits(entry, { writer, spending, log }, (what) => {
      clearTimeout(telling);
      return budgetSpent(entry, what);
    });
    try {
      await parts.prepare(run, writer);
      const means = { env: parts.env, address: parts.address(), tmp, token };
      const lane: LaneParts = {
        run,
        agent,
        launch: launchFor(run, agent, means),
        writer,
        stopping: entry.stopping.signal,
        started(child) {
          entry.child = child;
          // An agent that asks at once is heard before this is told, and goes on waiting.
          const isUp = () => void tellReason(run, 'running', 'starting').catch(() => undefined);
          telling = setTimeout(isUp, RUNNING_MS);
        },
        heard(common) {
          limits.heard();
          lastMessage = lastOf(common)?.replaceAll(token, RUN_TOKEN) ?? lastMessage;
        },
        async session(id) {
          if (sessionId === id) return;
          sessionId = id;
          await remember(run, id);
        },
        spent: limits.spent,
      };
      await rest(run, agent, entry.stopping.signal);
      const before = await usageBefore(db, run);
      const more = {
        hub: attachmentOf(means),
        sessionId: run.sessionId ?? undefined,
        costBefore: before?.costUsd ?? 0,
        setReason: tell,
        news: news.take,
      };
      const outcome =
        agent.lane === 'acp'
          ? await parts.runAcp(lane, more)
          : await runExec(lane, readerFor(run.family, before));
      const isDone = outcome.isDone && !entry.stopping.signal.aborted;
      return { outcome: masked(outcome, token), lastMessage, review: await parts.review(run, isDone) };
    } finally {
      clearTimeout(telling);
      news.end();
      limits.end();
      await writer.close();
      // Most leave nothing lying about.
      await rmdir(tmp).catch(() => rm(tmp, { recursive: true, force: true }));
      await rmdir(folder).catch(() => undefined);
    }
  }

  return { make };
}

/** A program that prints its environment prints its token; it is kept nowhere. */
function masked(outcome: LaneOutcome, token: string): LaneOutcome {
  const mask = (text: string) => text.replaceAll(token, RUN_TOKEN);
  const { error } = outcome;
  const stderr = error?.stderr === undefined ? {} : { stderr: mask(error.stderr) };
  return {
    ...outcome,
    text: mask(outcome.text),
    error: error && { ...error, text: mask(error.text), ...stderr },
  };
}

function lastOf(common: Common | undefined): string | undefined {
  return common && (common.type === 'text' || common.type === 'error') && common.text.trim() !== ''
    ? common.text.slice(0, MOST_LAST)
    : undefined;
}

/** What the agent's session had used before this run: some agents count from its beginning. */
async function usageBefore(db: Pick<Database, 'read'>, { id, sessionId }: Run): Promise<Usage | undefined> {
  if (sessionId === null) return undefined;
  const all = await db.read((q) => usageOfSession(q, sessionId, id));
  return all.reduce<Usage | undefined>(
    (sum, each) => (each && sum ? addUsage(sum, each) : (each ?? sum)),
    undefined,
  );
}
