// SQL of attempts: who tries a run, since when, and how that ended. A run has at most one that is open.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { table } from '../../../store/table.ts';
import { type Attempt, attemptColumns, type AttemptEnd, type Run } from '../run.ts';

const attempts = table('run_attempts', attemptColumns);

type NewAttempt = Pick<Attempt, 'runner' | 'machine' | 'leaseUntil'>;

/** Of a run that was claimed in this very transaction. */
export function insertAttempt(tx: Tx, { id, attempt: n, fence }: Run, given: NewAttempt): Promise<void> {
  return attempts.insert(tx, {
    ...given,
    runId: id,
    n,
    fence,
    startedAt: tx.now,
    endedAt: null,
    end: null,
    nextFrame: 1,
    pushed: null,
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
