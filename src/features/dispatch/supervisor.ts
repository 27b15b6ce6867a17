import { mkdir, rm, rmdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config, Environment } from '../../kernel/config.ts';
import { HubError, toHubError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { type Actor, systemActor } from '../../kernel/principal.ts';
import type { Database, Tx } from '../../store/database.ts';
import type { Access } from '../access/access.ts';
import type { Agent } from './agents/agents.ts';
import { environmentFor } from './agents/environment.ts';
import { commandLine, FAMILY_FACTS, type HubAttachment, isNamed, readerFor } from './agents/families.ts';
import { type End, type EndParts, endRun } from './ending.ts';
import { appendState, tellRun } from './events.ts';
import type { Common, Usage } from './frames/common.ts';
import { runExec } from './lanes/exec.ts';
import type { LaneParts, LaneOutcome } from './lanes/lane.ts';
import { createLedger, type RunLedger, TOKEN_MASK } from './ledger.ts';
import type { RunProcess, Launch } from './process/child.ts';
import { changeReason, changeRun, findRun, usageOfSession } from './rows/runs.ts';
import { RUN_SCOPES } from './rules.ts';
import { headline, type Reason, type Run, type RunError } from './run.ts';
import { createSlots } from './slots.ts';
import type { Review } from './work/worktrees.ts';

/** Why a run is told to stop. */
type Stop = Readonly<{ kind: 'cancel' } | { kind: 'shutdown' } | { kind: 'limit'; text: string }>;

/** Speaks ACP for a run; its own file, because most hubs never need it. */
export type RunAcp = (parts: LaneParts, more: AcpMore) => Promise<LaneOutcome>;
export type AcpMore = Readonly<{
  hub: HubAttachment | undefined;
  sessionId: string | undefined;
  /** What the session had cost before this run. */
  costBefore: number;
  setReason(reason: Reason): Promise<void>;
}>;

/** Runs processes. Everything it decides is in the database before anybody is told. */
export interface RunSupervisor {
  /** The run is in the database; it starts when there is room. The agents are tried in order until one says something. */
  submit(run: Run, agents: readonly Agent[]): void;
  /** Tells a run of this hub to stop; nothing happens to others. */
  stop(id: string): void;
  /** A sign of life of everything that runs, for leases elsewhere. */
  readonly active: ReadonlyMap<string, Run>;
  /** Pauses a run's processes, or lets them go on. */
  close(): Promise<void>;
}

export type RunSupervisorParts = EndParts &
  Readonly<{
    db: Database;
    log: Log;
    config: Config;
    env: Environment;
    access: Access;
    runAcp: RunAcp;
    /** Where this hub is reached, when it is. */
    address(): string | undefined;
    /** Asked when a budget is spent: may it go on? */
    mayGoOn(run: Run, what: string, signal: AbortSignal): Promise<boolean>;
    /** Makes its place ready before anything is started there. */
    /** Its token is made: from here on it and the agent that shows the token are one. */
    seated(tx: Tx, before: Run, run: Run): Promise<void>;
    prepare(run: Run, ledger: RunLedger): Promise<void>;
    /** Looks at what it left, before its end is written. */
    review(run: Run, isDone: boolean): Promise<Review | undefined>;
    /** Called after the end, outside any transaction. */
    ended(run: Run): Promise<void>;
  }>;

type Active = {
  run: Run;
  readonly stopping: AbortController;
  child: RunProcess | undefined;
  readonly finished: Promise<void>;
  /** Tells that it is running, unless there is something else to tell before. */
  telling?: NodeJS.Timeout;
};

const HOUR = 3_600_000;
const RUNNING_MS = 60;

export function createSupervisor(parts: RunSupervisorParts): RunSupervisor {
  const { db, log, config, env, access, runAcp } = parts;
  const active = new Map<string, Active>();
  const shown = new Map<string, Run>();
  const slots = createSlots(config.dispatch.concurrent);

  async function execute(entry: Active, agents: readonly Agent[]): Promise<void> {
    const { run, stopping } = entry;
    const { signal } = stopping;
    let release: (() => void) | undefined;
    const watching = new AbortController();
    let end: End = NOTHING;
    void watchStop(run.id, stopping, AbortSignal.any([signal, watching.signal]));
    try {
      release = await slots.take(run.instance, run.limits.concurrent, signal);
      end = await runAny(entry, agents);
    } catch (thrown) {
      if (!signal.aborted) end = { ...end, error: failureOf(thrown, log, run) };
    } finally {
      watching.abort();
      release?.();
    }
    const stop = signal.aborted ? (signal.reason as Stop) : undefined;
    await finish(run, {
      ...end,
      isCancelled: stop?.kind === 'cancel',
      isLost: stop?.kind === 'shutdown',
      error:
        stop?.kind === 'limit'
          ? { class: 'limit', text: stop.text }
          : stop?.kind === 'shutdown'
            ? LOST
            : end.error,
    });
  }

  /** A start that fails before anything was said moves on to the next agent. */
  async function runAny(entry: Active, agents: readonly Agent[]): Promise<End> {
    for (const [i, agent] of agents.entries()) {
      try {
        return await runOne(entry, agent);
      } catch (thrown) {
        const isLast = i === agents.length - 1;
        if (isLast || entry.child || !(thrown instanceof HubError)) throw thrown;
        log.info('an agent could not be started; the next one is tried', {
          run: entry.run.id,
          agent: agent.instance,
        });
      }
    }
    throw new HubError('unavailable', 'No agent could be started.');
  }

  async function runOne(entry: Active, agent: Agent): Promise<End> {
    const started = await begin(entry.run, agent);
    if (!started) return { ...NOTHING, isCancelled: true };
    const { run, token } = started;
    entry.run = run;
    shown.set(run.id, run);
    const actor: Actor = { id: run.agent, asserted: false };
    const folder = join(config.home, 'runs', run.id);
    const tmp = join(folder, 'tmp');
    await mkdir(tmp, { recursive: true, mode: 0o700 });
    let lastMessage: string | undefined;
    const ledger = createLedger({
      db,
      log,
      run,
      actor,
      secrets: [token],
      hold: (isHeld) => entry.child?.hold(isHeld),
    });
    const limits = watchLimits(entry, ledger, (what) => budgetSpent(run, what));
    try {
      await parts.prepare(run, ledger);
      const hub = attachment(token);
      const launch = await launchFor(run, agent, { tmp, token, hub });
      const lane: LaneParts = {
        run,
        agent,
        launch,
        ledger,
        stopping: entry.stopping.signal,
        started(child) {
          entry.child = child;
          // What ends at once is never told to be running: that would be a transaction for nobody.
          entry.telling = setTimeout(() => void setReason(run, 'running').catch(() => undefined), RUNNING_MS);
        },
        heard(common) {
          limits.heard();
          lastMessage = lastOf(common)?.replaceAll(token, TOKEN_MASK) ?? lastMessage;
        },
        spent: limits.spent,
      };
      const before = await usageBefore(run);
      const more = { hub, sessionId: run.sessionId ?? undefined, costBefore: before?.costUsd ?? 0 };
      const outcome =
        agent.lane === 'acp'
          ? await runAcp(lane, { ...more, setReason: (reason) => setReason(run, reason) })
          : await runExec(lane, readerFor(run.family, before));
      const isDone = outcome.isDone && !entry.stopping.signal.aborted;
      return {
        ...NOTHING,
        outcome: masked(outcome, token),
        lastMessage,
        review: await parts.review(run, isDone),
      };
    } finally {
      clearTimeout(entry.telling);
      limits.end();
      await ledger.close();
      await rm(tmp, { recursive: true, force: true });
      await rmdir(folder).catch(() => undefined);
    }
  }

  /** Active from here on, with a token that dies with the run. Undefined when it was cancelled before. */
  async function begin(run: Run, agent: Agent): Promise<Readonly<{ run: Run; token: string }> | undefined> {
    return db.write(systemActor, async (tx) => {
      const now = await findRun(tx, run.id);
      if (!now || now.reason === 'cancelling') return undefined;
      const { text, token } = await access.createToken(tx, {
        agent: run.agent,
        ...(run.team !== null && { team: run.team }),
        scopes: [...RUN_SCOPES],
        expiresAt: tx.now + run.limits.minutes * 60_000 + HOUR,
        label: `run ${run.id}`,
      });
      if (now.tokenId !== null) await access.revokeToken(tx, now.tokenId);
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
      tellRun(tx, changed, 'run.started');
      return { run: changed, token: text };
    });
  }

  async function setReason(run: Run, reason: Reason): Promise<void> {
    clearTimeout(active.get(run.id)?.telling);
    await db.write(systemActor, async (tx) => {
      const changed = await changeReason(tx, run.id, reason);
      if (!changed) return;
      await appendState(tx, changed, 'task');
      tellRun(tx, changed, 'run.changed', { reason });
    });
  }

  function attachment(token: string): HubAttachment | undefined {
    const address = parts.address();
    return address === undefined ? undefined : { url: `${address}/mcp`, token };
  }

  type Means = Readonly<{ tmp: string; token: string; hub: HubAttachment | undefined }>;

  async function launchFor(run: Run, agent: Agent, { tmp, token, hub }: Means): Promise<Launch> {
    const { settings, family } = agent;
    const order = {
      prompt: run.prompt,
      mode: settings.mode,
      model: run.model ?? settings.model,
      resume: run.sessionId ?? undefined,
      hub,
    };
    const line = isNamed(family) ? FAMILY_FACTS[family].exec(order) : commandLine(settings, run.prompt);
    const address = parts.address();
    return {
      program: agent.program!,
      args: agent.lane === 'acp' ? agent.acpArgs! : line.args,
      cwd: run.cwd,
      env: {
        ...environmentFor(agent, env),
        ...line.env,
        TMPDIR: tmp,
        HOLDFAST_TOKEN: token,
        ...(address !== undefined && { HOLDFAST_URL: address }),
        ...(run.boardTask !== null && { HOLDFAST_TASK_ID: run.boardTask }),
      },
      input: agent.lane === 'acp' ? undefined : line.input,
    };
  }

  async function usageBefore(run: Run): Promise<Usage | undefined> {
    if (run.sessionId === null) return undefined;
    const sessionId = run.sessionId;
    const all = await db.read((q) => usageOfSession(q, sessionId, run.id));
    return all.reduce<Usage | undefined>(
      (sum, each) => (each && sum ? addUsage(sum, each) : (each ?? sum)),
      undefined,
    );
  }

  async function budgetSpent(run: Run, what: string): Promise<boolean> {
    const entry = active.get(run.id);
    if (!entry) return false;
    entry.child?.tree.signal('SIGSTOP');
    await setReason(run, 'waiting_approval');
    const isAllowed = await parts.mayGoOn(run, what, entry.stopping.signal).catch(() => false);
    entry.child?.tree.signal('SIGCONT');
    if (isAllowed) await setReason(run, 'running');
    return isAllowed;
  }

  /** Another hub, or another process, may have asked this run to stop. */
  async function watchStop(id: string, stopping: AbortController, signal: AbortSignal): Promise<void> {
    try {
      await db.feed.until(
        stopSubject(id),
        async () => {
          const run = await db.read((q) => findRun(q, id));
          return run === undefined || run.reason === 'cancelling' || run.closedAt !== null ? true : undefined;
        },
        signal,
      );
      stopping.abort({ kind: 'cancel' } satisfies Stop);
    } catch {
      // It ended before anybody wanted it to, or the feed is closed: then the hub stops its runs itself.
    }
  }

  async function finish(run: Run, end: End): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const ended = await db.write({ id: run.agent, asserted: false }, (tx) =>
          endRun(tx, run.id, end, parts),
        );
        if (ended)
          await parts.ended(ended).catch((error: unknown) => log.warn('after a run', { run: run.id, error }));
        return;
      } catch (error) {
        log.error('the end of a run could not be written', { run: run.id, attempt, error });
        if (attempt === 3) return;
        await new Promise((resolve) => setTimeout(resolve, 200 * attempt));
      }
    }
  }

  return {
    active: shown,
    submit(run, agents) {
      const stopping = new AbortController();
      const entry: Active = { run, stopping, child: undefined, finished: Promise.resolve() };
      const finished = execute(entry, agents)
        .catch((error: unknown) => log.error('a run failed in the hub', { run: run.id, error }))
        .finally(() => {
          active.delete(run.id);
          shown.delete(run.id);
        });
      active.set(run.id, Object.assign(entry, { finished }));
      shown.set(run.id, run);
    },
    stop(id) {
      active.get(id)?.stopping.abort({ kind: 'cancel' } satisfies Stop);
    },
    async close() {
      const entries = [...active.values()];
      for (const { stopping } of entries) stopping.abort({ kind: 'shutdown' } satisfies Stop);
      await Promise.all(entries.map(({ finished }) => finished));
    },
  };
}

const NOTHING: End = {
  outcome: undefined,
  isCancelled: false,
  isLost: false,
  error: null,
  lastMessage: undefined,
  review: undefined,
};

const LOST: RunError = { class: 'crash', text: 'the hub stopped while it ran' };

export function stopSubject(id: string): string {
  return `stop:${id}`;
}

function failureOf(thrown: unknown, log: Log, run: Run): RunError {
  const error = toHubError(thrown);
  if (error.code === 'internal') log.error('a run failed', { run: run.id, error: error.cause ?? error });
  return { class: error.code === 'internal' ? 'crash' : 'config', text: error.message };
}

/** A program that prints its environment prints its token; it is kept nowhere. */
function masked(outcome: LaneOutcome, token: string): LaneOutcome {
  const mask = (text: string) => text.replaceAll(token, TOKEN_MASK);
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
    ? headline(common.text)
    : undefined;
}

function addUsage(a: Usage, b: Usage): Usage {
  const sum = (one: number | null, other: number | null) =>
    one === null && other === null ? null : (one ?? 0) + (other ?? 0);
  return {
    inputUncached: a.inputUncached + b.inputUncached,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    costUsd: sum(a.costUsd, b.costUsd),
    turns: a.turns + b.turns,
    basis: a.basis === 'lower_bound' ? a.basis : b.basis,
  };
}

const MINUTE = 60_000;

type Limits = Readonly<{ heard(): void; spent(usage: Usage): void; end(): void }>;

/** Wall clock and silence end a run; a budget asks first. Time in which it waits for a person does not count as silence. */
function watchLimits(entry: Active, ledger: RunLedger, ask: (what: string) => Promise<boolean>): Limits {
  const { run, stopping } = entry;
  const { minutes, idle } = run.limits;
  let heardAt = performance.now();
  let isAsking = false;
  let [dollars, turns] = [run.limits.dollars, run.limits.turns];
  const stop = (text: string) => stopping.abort({ kind: 'limit', text } satisfies Stop);
  const wall = setTimeout(
    () => stop(`it ran for ${minutes} minutes, which is its limit`),
    Math.min(minutes * MINUTE, 2 ** 31 - 1),
  );
  const look = setInterval(
    () => {
      if (!isAsking && performance.now() - heardAt > idle * MINUTE)
        stop(`it said nothing for ${idle} minutes, which is its limit`);
    },
    Math.max(50, Math.min(5_000, (idle * MINUTE) / 4)),
  );

  async function askFor(what: string, raise: () => void): Promise<void> {
    isAsking = true;
    ledger.notice(`${what} The run waits until a person allows more.`);
    const isAllowed = await ask(what);
    heardAt = performance.now();
    isAsking = false;
    if (isAllowed) raise();
    else if (!stopping.signal.aborted) stop(`${what} Nobody allowed more.`);
  }

  return {
    heard: () => void (heardAt = performance.now()),
    spent({ costUsd, turns: taken }) {
      if (isAsking) return;
      if (dollars !== undefined && costUsd !== null && costUsd >= dollars) {
        const most = dollars;
        void askFor(
          `It has cost $${costUsd.toFixed(2)} of a budget of $${most}.`,
          () => (dollars = costUsd + most),
        );
      } else if (turns !== undefined && taken > turns) {
        const most = turns;
        void askFor(`It took ${taken} turns of a budget of ${most}.`, () => (turns = taken + most));
      }
    },
    end() {
      clearTimeout(wall);
      clearInterval(look);
    },
  };
}
