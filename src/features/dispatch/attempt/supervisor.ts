import { setTimeout as sleep } from 'node:timers/promises';
import { HubError, toHubError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Tx } from '../../../store/database.ts';
import type { Active, Stop } from './active.ts';
import type { Agent } from '../agents/agents.ts';
import { type AttemptParts, createAttempts } from './attempt.ts';
import { type End, type EndRun, NO_END } from './end.ts';
import type { LoseAttempt } from './lose.ts';
import type { AfterPart, RunQuota } from '../quota/keep.ts';
import { isOver } from '../rules.ts';
import { findRun } from '../rows/runs.ts';
import type { Attempt, Run, RunError } from '../run.ts';
import { createSlots } from '../start/slots.ts';
import { untilStopped } from './stop.ts';

/** Runs processes. Everything it decides is in the database before anybody is told. */
export interface RunSupervisor {
  /**
   * The run is in the database; it starts when there is room. The agents are tried in order until one says
   * something.
   */
  submit(run: Run, agents: readonly Agent[]): void;
  /** Is there room for another of this kind? */
  hasRoom(run: Run): boolean;
  has(id: string): boolean;
  /** Tells a run of this hub to stop; nothing happens to others. */
  stop(id: string): void;
  /** Whatever it runs besides these is somebody else's, or over. */
  keepOnly(attempts: readonly Attempt[]): Promise<void>;
  /** Everything that runs, for leases elsewhere. */
  active(): readonly Run[];
  /** Every run is told to stop, and this resolves when all of them are over. */
  close(): Promise<void>;
}

export type RunSupervisorParts = AttemptParts &
  Readonly<{
    endRun: EndRun;
    quota: RunQuota;
    loseAttempt: LoseAttempt;
    /** Told when there is room for another. */
    free(): void;
    /** Called after the end, outside any transaction. */
    ended(run: Run): Promise<void>;
  }>;

type Entry = Readonly<{ active: Active; finished: Promise<void> }>;

/** The end of a run is written, or tried so often. */
const MOST_TRIES = 3;

export function createSupervisor(parts: RunSupervisorParts): RunSupervisor {
  const { db, log, config, endRun, quota } = parts;
  const entries = new Map<string, Entry>();
  const slots = createSlots(config.dispatch.concurrent);
  const attempts = createAttempts(parts);

  async function execute(active: Active, agents: readonly Agent[]): Promise<void> {
    const { stopping } = active;
    const { run } = active;
    const { signal } = stopping;
    let release: (() => void) | undefined;
    const watching = new AbortController();
    let end: End = NO_END;
    // Another hub, or another process, may ask it to stop; a feed that is closed ends with the hub, which
    // stops its runs itself.
    void untilStopped(db, { id: run.id }, AbortSignal.any([signal, watching.signal])).then(
      (kind) => stopping.abort({ kind } satisfies Stop),
      () => undefined,
    );
    try {
      let next: readonly Agent[] | undefined = agents;
      while (next) {
        const able = await quota.before(active, next);
        if (!able) return;
        release = await slots.take(able[0]!.instance, active.run.limits.concurrent, signal);
        signal.throwIfAborted();
        watching.abort();
        end = await tryEach(active, able);
        release();
        const after: AfterPart = signal.aborted ? { end } : await quota.after(active, end);
        if (after.isParked) return;
        ({ next, end } = after);
      }
    } catch (thrown) {
      if (!signal.aborted) end = { ...end, error: failureOf(thrown, log, run) };
    } finally {
      watching.abort();
      release?.();
      parts.free();
    }
    const whole = await quota.whole(active, signal.aborted ? stopped(end, signal.reason as Stop) : end);
    await conclude(active, whole);
  }

  /** What is somebody else's stays as it is, and what nobody has begun when the hub ends waits for whoever comes next. */
  async function conclude({ run, stopping }: Active, end: End): Promise<void> {
    const stop = stopping.signal.aborted ? (stopping.signal.reason as Stop) : undefined;
    if (stop?.kind === 'taken') return;
    const { id, fence } = run;
    if (stop?.kind !== 'shutdown') return write(run, (tx) => endRun(tx, id, { ...end, fence }));
    if (run.state === 'pending') return;
    await write(run, (tx) => parts.loseAttempt(tx, id, { fence, as: 'handed_over', error: LOST }));
  }

  /** A start that fails before anything was said moves on to the next agent. */
  async function tryEach(active: Active, agents: readonly Agent[]): Promise<End> {
    for (const [i, agent] of agents.entries()) {
      try {
        const end = await attempts.make(active, agent);
        return end ? { ...NO_END, ...end } : { ...NO_END, isCancelled: true };
      } catch (thrown) {
        const isLast = i === agents.length - 1;
        if (isLast || active.child || !(thrown instanceof HubError)) throw thrown;
        log.info('an agent could not be started; the next one is tried', {
          run: active.run.id,
          agent: agent.instance,
        });
      }
    }
    throw new HubError('unavailable', 'No agent could be started.');
  }

  async function write(run: Run, finish: (tx: Tx) => Promise<Run | undefined>): Promise<void> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const ended = await db.write({ id: run.agent, asserted: false }, finish);
        if (ended && isOver(ended.state))
          await parts.ended(ended).catch((error: unknown) => log.warn('after a run', { run: run.id, error }));
        return;
      } catch (error) {
        log.error('the end of a run could not be written', { run: run.id, attempt, error });
        if (attempt === MOST_TRIES) return;
        await sleep(200 * attempt);
      }
    }
  }

  return {
    active: () => [...entries.values()].map(({ active }) => active.run),
    hasRoom: ({ instance, limits }) => slots.isFree(instance, limits.concurrent),
    has: (id) => entries.has(id),
    submit(run, agents) {
      const active: Active = { run, stopping: new AbortController(), child: undefined };
      const finished = execute(active, agents)
        .catch((error: unknown) => log.error('a run failed in the hub', { run: run.id, error }))
        .finally(() => {
          if (entries.get(run.id)?.active === active) entries.delete(run.id);
        });
      entries.set(run.id, { active, finished });
    },
    async keepOnly(attempts) {
      const kept = new Set(attempts.map(({ runId, n }) => `${runId}/${n}`));
      for (const { active } of entries.values()) {
        const { id, attempt, fence } = active.run;
        if (attempt === 0 || kept.has(`${id}/${attempt}`)) continue;
        // One that was begun after the look is not among them, and its own all the same.
        const now = await db.read((q) => findRun(q, id));
        if (now?.fence !== fence && active.run.fence === fence)
          active.stopping.abort({ kind: 'taken' } satisfies Stop);
      }
    },
    stop(id) {
      entries.get(id)?.active.stopping.abort({ kind: 'cancel' } satisfies Stop);
    },
    async close() {
      const open = [...entries.values()];
      for (const { active } of open) active.stopping.abort({ kind: 'shutdown' } satisfies Stop);
      await Promise.all(open.map(({ finished }) => finished));
    },
  };
}

const LOST: RunError = { class: 'crash', text: 'the hub stopped while it ran' };

function stopped(end: End, stop: Stop): End {
  if (stop.kind === 'cancel') return { ...end, isCancelled: true };
  if (stop.kind === 'shutdown') return { ...end, isLost: true, error: LOST };
  return stop.kind === 'taken' ? end : { ...end, error: { class: 'limit', text: stop.text } };
}

function failureOf(thrown: unknown, log: Log, run: Run): RunError {
  const error = toHubError(thrown);
  if (error.code === 'internal') log.error('a run failed', { run: run.id, error: error.cause ?? error });
  return { class: error.code === 'internal' ? 'crash' : 'config', text: error.message };
}
