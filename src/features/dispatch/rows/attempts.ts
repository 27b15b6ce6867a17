// SQL of attempts: who tries a run, since when, and how that ended. A run has at most one that is open.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { table } from '../../../store/table.ts';
import { type Attempt, attemptColumns, type AttemptEnd, type Run } from '../run.ts';

const attempts = table('run_attempts', attemptColumns);

type NewAttempt = Pick<Attempt, 'runner' | 'holder' | 'machine'> &
  Readonly<{
    /** Since when it could be taken: one that had to wait for its lock began no sooner than that. */
    queuedAt: number | null;
  }>;

/** So long an attempt is believed to live without a word of whoever makes it. */
export const ATTEMPT_LEASE_MS = 45_000;

/** Of a run that was claimed in this very transaction. */
export function insertAttempt(tx: Tx, { id, attempt: n, fence }: Run, given: NewAttempt): Promise<void> {
  const { runner, holder, machine, queuedAt } = given;
  return attempts.insert(tx, {
    runner,
    holder,
    machine,
    runId: id,
    n,
    fence,
    leaseUntil: tx.now + ATTEMPT_LEASE_MS,
    startedAt: Math.max(tx.now, queuedAt ?? 0),
    endedAt: null,
    end: null,
    nextFrame: 1,
    pushed: null,
    mirror: null,
  });
}

export const attemptsOf = (q: Query, runId: string): Promise<Attempt[]> =>
  attempts.list(q, sql`where run_id = ${runId} order by n`);

/** Whichever is open; there is none before the first and between two. */
export async function endAttempt(tx: Tx, runId: string, end: AttemptEnd): Promise<boolean> {
  const ended = await attempts.update(
    tx,
    { endedAt: tx.now, end },
    sql`where run_id = ${runId} and ended_at is null`,
  );
  return ended > 0;
}

const OPEN = sql.raw('ended_at is null');

export const openAttempts = (q: Query): Promise<Attempt[]> => attempts.list(q, sql`where ${OPEN}`);

export const openAttemptsOf = (q: Query, holder: string): Promise<Attempt[]> =>
  attempts.list(q, sql`where holder = ${holder} and ${OPEN} order by run_id`);

/** Whoever has them lives; answers what it has. Also when their time is over and nobody came. */
export function keepAttempts(tx: Tx, holder: string): Promise<Attempt[]> {
  return attempts.all(
    tx,
    sql`
      update run_attempts
      set lease_until = ${tx.now + ATTEMPT_LEASE_MS}
      where holder = ${holder} and ${OPEN}
      returning ${attempts.columns}`,
  );
}

/** How often this run was taken from somebody. */
export async function countLost(q: Query, runId: string): Promise<number> {
  return attempts.count(q, sql`where run_id = ${runId} and ended_as in ('lost', 'handed_over')`);
}

const RUNNER = 'runner:';

/** The holder of what a runner has; a hub's is its id. */
export const holderOf = (runner: string): string => RUNNER + runner;

export const isRunner = (holder: string): boolean => holder.startsWith(RUNNER);
