import { HubError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { countByWord } from './count.ts';
import type { Query, Tx } from './database.ts';
import { sql } from './sql.ts';

export type Job = Readonly<{
  id: string;
  queue: string;
  payload: unknown;
  /** 1 on the first try. Also the fence: a worker whose lease ran out can no longer finish the job. */
  attempt: number;
}>;

export type NewJob = Readonly<{
  queue: string;
  payload?: unknown;
  runAt?: number;
  /** Jobs of one queue with the same key are one job while it waits. */
  key?: string;
}>;

export function countJobs(q: Query): Promise<Readonly<Record<string, number>>> {
  return countByWord(q, sql`select state as word, count(*) as count from jobs group by state`);
}

/** How long the job that waits longest could have been done. */
export async function oldestDueMs(q: Query, now: number): Promise<number> {
  const row = await q.get<{ at: number | null }>(
    sql`select min(run_at) as at from jobs where state = 'waiting' and run_at <= ${now}`,
  );
  return now - (row?.at ?? now);
}

/** Adds a job in the transaction that makes it necessary, so that neither can exist without the other. */
export async function enqueue(tx: Tx, job: NewJob): Promise<void> {
  await tx.run(sql`
    insert into jobs (id, queue, key, payload, run_at, created_at)
    values (${newId()}, ${job.queue}, ${job.key ?? null}, ${JSON.stringify(job.payload ?? null)}, ${job.runAt ?? tx.now}, ${tx.now})
    on conflict (queue, key) do update
    set run_at = case when excluded.run_at < jobs.run_at then excluded.run_at else jobs.run_at end,
        payload = excluded.payload,
        state = 'waiting',
        attempts = case when jobs.state = 'dead' then 0 else jobs.attempts end`);
  tx.emit({ kind: 'job.queued', subject: queueSubject(job.queue), realm: 'hub' });
}

/** Ends a job inside the transaction with its effect. Fails when the lease was lost to another worker meanwhile. */
export async function finish(tx: Tx, job: Job): Promise<void> {
  const removed = await tx.run(sql`
    delete from jobs
    where id = ${job.id} and attempts = ${job.attempt} and state = 'running'`);
  if (removed === 0) throw new HubError('stale_fence', `The job ${job.id} was taken over by another worker.`);
}

/** The job of a key is not wanted any more, whatever becomes of a worker that has it. */
export async function dropJob(tx: Tx, queue: string, key: string): Promise<void> {
  await tx.run(sql`
    delete from jobs
    where queue = ${queue} and key = ${key}`);
}

export function queueSubject(queue: string): string {
  return `queue:${queue}`;
}
