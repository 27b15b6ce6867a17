// What a runner tells of an attempt that is its own: frames, that it lives, the end. Each names its fence, and is one
// transaction on the row of the run.
import { HubError, toHubError } from '../../../kernel/errors.ts';
import { type Principal, systemActor } from '../../../kernel/principal.ts';
import { redact, redactJson, redactValue } from '../../../kernel/redact.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Database, Tx } from '../../../store/database.ts';
import type { Agent } from '../agents/agents.ts';
import { type End, type EndRun, NO_END } from '../attempt/end.ts';
import type { LoseAttempt } from '../attempt/lose.ts';
import { stopSubject } from '../attempt/stop.ts';
import { usageSchema } from '../frames/usage.ts';
import type { RunQuota } from '../quota/keep.ts';
import type { FailureClass } from '../quota/limit.ts';
import { holderOf } from '../rows/attempts.ts';
import { dropEventsBefore } from '../rows/events.ts';
import { changeHeld, findRun, lockRun } from '../rows/runs.ts';
import { isOver } from '../rules.ts';
import type { Attempt, Reason, Run } from '../run.ts';
import { appendEvents, type NewRunEvent, setReason, tellRun } from '../stream/events.ts';
import { cutLine } from '../stream/lines.ts';
import type { Review } from '../worktree/worktrees.ts';
import { requireRunner } from './standing.ts';
import type { RunQuestions } from './questions.ts';
import { findAttempt, hearAttempt, hearRunner } from './rows.ts';
import type { Command, WireAsk, WireEnd, WireFrame } from './wire.ts';

type Which = Readonly<{ id: string; attempt: number; fence: number }>;

export interface Reports {
  frames(
    who: Principal,
    at: Which,
    batch: Readonly<{ from: number; frames: readonly WireFrame[] }>,
  ): Promise<number>;
  beat(who: Principal, at: Which, more: Beat): Promise<Readonly<{ leaseUntil: number; commands: Command[] }>>;
  end(who: Principal, at: Which, end: Omit<WireEnd, 'fence'>): Promise<string>;
}

type Beat = Readonly<{ asks: readonly WireAsk[]; waitMs: number; signal: AbortSignal }>;

type TellingParts = Readonly<{
  db: Database;
  log: Log;
  questions: RunQuestions;
  endRun: EndRun;
  loseAttempt: LoseAttempt;
  quota: Pick<RunQuota, 'afterElsewhere' | 'wholeIn'>;
  agents(): Promise<readonly Agent[]>;
  /** Takes what was pushed into the branch of the run, and looks at it. */
  takeWork(run: Run, attempt: Attempt): Promise<Review | undefined>;
  ended(run: Run): Promise<void>;
  /** While its runner is heard a run is alive, however rarely its agent calls the hub: its task stays its own. */
  alive(run: Run): void;
  aliveMs: number;
}>;

/** What a runner says of a run. That it waits for the answer to a question only the hub knows, which is asked. */
const PHASES: ReadonlySet<string> = new Set(['running', 'waiting_approval', 'waiting_quota']);

export function createReports({
  db,
  log,
  questions,
  endRun,
  loseAttempt,
  quota,
  agents,
  takeWork,
  ended,
  alive,
  aliveMs,
}: TellingParts): Reports {
  /** The run as it is while nobody else changes it; refused where it is not this attempt's. */
  async function held(tx: Tx, who: Principal, { id, attempt: n, fence }: Which) {
    const run = await lockRun(tx, id);
    const attempt = run && (await findAttempt(tx, id, n));
    // Nothing of runs of others is told, not even that they are there.
    if (!run || attempt?.holder !== holderOf(requireRunner(who))) throw staleFence(id);
    if (attempt.endedAt !== null || isOver(run.state) || run.fence !== fence || attempt.fence !== fence)
      throw staleFence(id);
    return { run, attempt };
  }

  async function take(tx: Tx, run: Run, frames: readonly WireFrame[]): Promise<void> {
    const events = frames.flatMap((frame) => eventOf(run, frame, tx.now));
    if (events.length > 0) await appendEvents(tx, run, events);
    for (const { kind, line } of frames) {
      if (kind === 'session' && line.length <= 200) {
        const changed = await changeHeld(tx, run, { sessionId: line });
        if (changed) tellRun(tx, changed, { kind: 'run.changed', data: { session: line } });
      }
      // An agent may ask before its runner has said that it runs.
      const isAsking = line === 'running' && run.reason === 'waiting_input';
      if (kind === 'phase' && PHASES.has(line) && !isAsking)
        await setReason(tx, run.id, { to: line as Reason, fence: run.fence });
      const usage = kind === 'usage' ? readUsage(line) : undefined;
      if (usage) await changeHeld(tx, run, { usage, costUsd: usage.costUsd });
    }
    await dropEventsBefore(tx, run.id, run.nextEvent + events.length - run.limits.frames);
  }

  return {
    frames: (who, at, { from, frames }) =>
      db.write(systemActor, async (tx) => {
        const { run, attempt } = await held(tx, who, at);
        const skipped = attempt.nextFrame - from;
        // What comes after a hole is sent again when the hole is filled.
        const fresh = skipped < 0 ? [] : frames.slice(skipped);
        if (fresh.length > 0) await take(tx, run, fresh);
        const nextFrame = attempt.nextFrame + fresh.length;
        await hearAttempt(tx, attempt, { nextFrame });
        return nextFrame - 1;
      }),

    async beat(who, at, { asks, waitMs, signal }) {
      const { run, leaseUntil } = await db.write(systemActor, async (tx) => {
        const { run: now, attempt } = await held(tx, who, at);
        // One whose slots are full asks for nothing for as long.
        await hearRunner(tx, requireRunner(who));
        return { run: now, leaseUntil: await hearAttempt(tx, attempt) };
      });
      alive(run);
      const living = setInterval(() => alive(run), aliveMs);
      const waiting = new AbortController();
      const timer = setTimeout(() => waiting.abort(), waitMs);
      const any = AbortSignal.any([waiting.signal, signal]);
      questions.ask(run, asks, () => waiting.abort());
      const commandsNow = async (): Promise<Command[] | undefined> => {
        const now = await db.read((q) => findRun(q, run.id));
        if (!now || isOver(now.state) || now.fence !== at.fence) throw staleFence(run.id);
        const found = [
          ...(now.reason === 'cancelling' ? [{ kind: 'cancel' as const }] : []),
          ...questions.answers(run, asks),
        ];
        return found.length > 0 ? found : undefined;
      };
      try {
        const commands = await db.feed.until(stopSubject(run.id), commandsNow, any);
        return { leaseUntil, commands };
      } catch (error) {
        if (!any.aborted) throw error;
        return { leaseUntil, commands: (await commandsNow()) ?? [] };
      } finally {
        clearInterval(living);
        clearTimeout(timer);
      }
    },

    async end(who, at, told) {
      const before = await db.read((q) => findAttempt(q, at.id, at.attempt));
      const isOwn = before?.holder === holderOf(requireRunner(who)) && before.fence === at.fence;
      // The answer to the same word got lost.
      if (isOwn && before.endedAt !== null && before.end === told.state) return before.end;
      const { run, attempt } = await db.write(systemActor, (tx) => held(tx, who, at));
      const { review, untaken } = await tryTakeWork(run, attempt);
      const { fence } = at;
      const error = errorOf(told);
      if (told.state === 'lost' || told.state === 'handed_over') {
        const as = { fence, as: told.state, error: error ?? LOST };
        return settle(
          told.state,
          run,
          await db.write(systemActor, async (tx) => {
            await held(tx, who, at);
            return loseAttempt(tx, run.id, as);
          }),
        );
      }
      let end: End = { ...endOf(told), fence, review, ...(told.state === 'done' && { error: untaken }) };
      const { startedAt } = attempt;
      if (told.limit && told.state === 'failed') {
        const { spoken: hasSpoken, session, resets_at: resetsAt, kind, text } = told.limit;
        const limit = { kind, text, resetsAt };
        const part = { end, limit, hasSpoken, session, startedAt, agents: await agents() };
        const after = await quota.afterElsewhere(run, part);
        if (after.isParked) return 'active';
        ({ end } = after);
      }
      const after = await db.write(systemActor, async (tx) => {
        await held(tx, who, at);
        return endRun(tx, run.id, await quota.wholeIn(tx, run, { end, startedAt }));
      });
      return settle(told.state, run, after);
    },
  };

  /** A refusal ends what its runner asks: a branch that cannot take the work must not keep the attempt open. What was pushed is kept. */
  async function tryTakeWork(run: Run, attempt: Attempt) {
    try {
      return { review: await takeWork(run, attempt), untaken: null };
    } catch (thrown) {
      const { code, isRetryable, message } = toHubError(thrown);
      // It asks again when the hub is at fault.
      if (code === 'internal' || isRetryable) throw thrown;
      log.warn('the work of a run could not be taken into its branch', { run: run.id, error: thrown });
      return { review: undefined, untaken: { class: 'config', text: message } as const };
    }
  }

  async function settle(told: string, { id }: Run, after: Run | undefined): Promise<string> {
    if (after && isOver(after.state))
      await ended(after).catch((error: unknown) => log.warn('after a run', { run: id, error }));
    return after?.state ?? told;
  }
}

/** By its own word; what was said of a limit is judged apart. */
function endOf(told: Omit<WireEnd, 'fence'>): End {
  const { outcome } = told;
  const isDone = told.state === 'done';
  const error = isDone ? null : errorOf(told);
  const usage = outcome?.usage && readUsage(JSON.stringify(outcome.usage));
  return {
    ...NO_END,
    isCancelled: told.state === 'cancelled',
    lastMessage: outcome?.last,
    outcome: {
      isDone,
      text: outcome?.text ?? '',
      error,
      exit: outcome && { code: outcome.code, signal: outcome.signal },
      sessionId: outcome?.session,
      usage,
    },
  };
}

export function staleFence(id: string): HubError {
  return new HubError(
    'stale_fence',
    `This attempt at run ${id.slice(-8)} is over: the run is not its any more.`,
    {
      hint: 'Stop what was started for it.',
    },
  );
}

const LOST = { class: 'crash', text: 'its runner stopped while it ran' } as const;

function errorOf({ error }: Pick<WireEnd, 'error'>) {
  if (!error) return null;
  const { text, stderr } = error;
  return { class: error.class as FailureClass, text, ...(stderr !== undefined && { stderr }) };
}

function readUsage(text: string) {
  try {
    const read = usageSchema.safeParse(JSON.parse(text));
    return read.success ? (read.data as NonNullable<Run['usage']>) : undefined;
  } catch {
    return undefined;
  }
}

/** Masked where it was said, and again here: nobody has to be believed. */
function eventOf({ id }: Run, { kind, line, ts, common }: WireFrame, now: number): NewRunEvent[] {
  if (kind !== 'stdout' && kind !== 'stderr' && kind !== 'acp') return [];
  const clean = cutLine({ text: line.replaceAll('\0', '\uFFFD'), lost: 0 });
  const masked = /^\s*[[{]/.test(clean) ? redactJson(clean) : redact(clean);
  const said = Date.parse(ts);
  const at = new Date(Number.isNaN(said) ? now : Math.min(said, now)).toISOString();
  const form = common ?? (kind === 'stderr' ? { type: 'notice' } : { type: 'text' });
  const data = { ...(redactValue(form) as object), task_id: id, line: masked, kind, ts: at };
  return [{ kind: 'frame', data: JSON.stringify(data) }];
}
