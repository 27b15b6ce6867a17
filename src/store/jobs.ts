import { HubError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import { countByWord } from './count.ts';
import type { Query, Tx } from './database.ts';
import { type Sql, sql } from './sql.ts';
import { json, named, number, type RecordOf, table, text, textOrNull } from './table.ts';

export const jobs = table('jobs', {
  id: text(),
  queue: text(),
  key: textOrNull(),
  payload: json<unknown>(),
  state: text<'waiting' | 'running' | 'dead'>(),
  runAt: number(),
  /** 1 on the first try. Also the fence: a worker whose lease ran out can no longer finish the job. */
  attempt: named('attempts', number()),
  holder: textOrNull(),
  leaseUntil: number(),
  lastError: textOrNull(),
  createdAt: number(),
});

/** As a worker has it. */
export const takenJobs = jobs.only('id', 'queue', 'payload', 'attempt');
export type Job = Readonly<RecordOf<typeof takenJobs.fields>>;

const newJobs = jobs.only('id', 'queue', 'key', 'payload', 'runAt', 'createdAt');

export type NewJob = Readonly<{
  queue: string;
  payload?: unknown;
  runAt?: number;
  /** Jobs of one queue with the same key are one job while it waits. */
  key?: string | null;
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
    ${insertJob(tx, job)}
    on conflict (queue, key) do update
    set run_at = case when excluded.run_at < jobs.run_at then excluded.run_at else jobs.run_at end,
        payload = excluded.payload,
        state = 'waiting',
        attempts = case when jobs.state = 'dead' then 0 else jobs.attempts end`);
  tx.emit({ kind: 'job.queued', subject: queueSubject(job.queue), realm: 'hub' });
}

/** Something that is done again and again: there already, unless this is the first time. */
export async function setSchedule(tx: Tx, queue: string, runAt: number): Promise<void> {
  await tx.run(sql`
    ${insertJob(tx, { queue, key: 'schedule', runAt })}
    on conflict (queue, key) do nothing`);
}

function insertJob(tx: Tx, { queue, key = null, payload = null, runAt = tx.now }: NewJob): Sql {
  return sql`insert into jobs ${newJobs.values({ id: newId(), queue, key, payload, runAt, createdAt: tx.now })}`;
}

/** It is still its worker's. */
export function isHeld({ id, attempt }: Job): Sql {
  return sql`where id = ${id} and attempts = ${attempt} and state = 'running'`;
}

/** Ends a job inside the transaction with its effect. Fails when the lease was lost to another worker meanwhile. */
export async function finish(tx: Tx, job: Job): Promise<void> {
  const removed = await jobs.delete(tx, isHeld(job));
  if (removed === 0) throw new HubError('stale_fence', `The job ${job.id} was taken over by another worker.`);
}

/** The job of a key is not wanted any more, whatever becomes of a worker that has it. */
export async function dropJob(tx: Tx, queue: string, key: string): Promise<void> {
  await jobs.delete(tx, sql`where queue = ${queue} and key = ${key}`);
}

export function queueSubject(queue: string): string {
  return `queue:${queue}`;
}
