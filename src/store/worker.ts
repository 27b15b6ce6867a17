// Workers and schedules: jobs are leased to one hub at a time and tried again until they are dead.
import { pause } from '../kernel/clock.ts';
import { HubError, toHubError } from '../kernel/errors.ts';
import type { Log } from '../kernel/log.ts';
import { systemActor } from '../kernel/principal.ts';
import { redact } from '../kernel/redact.ts';
import type { Running } from './consumers.ts';
import type { Database } from './database.ts';
import { finish, isHeld, type Job, jobs, queueSubject, setSchedule, takenJobs } from './jobs.ts';
import { CLOCKS_APART_MS, whileKept } from './lease.ts';
import { type Sql, sql } from './sql.ts';

export type WorkerOptions = Readonly<{
  db: Database;
  queue: string;
  /** This hub. */
  holder: string;
  /** Runs outside any transaction, at least once. A worker that calls `finish` in its own transaction makes its effect exactly once. */
  run(job: Job, signal: AbortSignal): Promise<void>;
  log: Log;
  leaseMs?: number;
  /** The furthest ahead that a job which has not failed is put; for schedules. */
  aheadMs?: number;
  /** After this many failures a job is dead: kept, shown by `doctor`, no longer tried. */
  maxAttempts?: number;
}>;

/** The longest pause before a job that failed is tried again. */
const LONGEST_DELAY_MS = 300_000;

/** Takes due jobs of one queue, one at a time, each under a lease that is renewed while it runs. */
export function startWorker(options: WorkerOptions): Running {
  const { db, queue, holder, log, leaseMs = 60_000, aheadMs, maxAttempts = 8 } = options;
  const stopping = new AbortController();
  const finished = loop();

  async function loop(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        const job = await nextJob();
        if (job) await work(job);
      } catch (error) {
        if (stopping.signal.aborted) return;
        log.warn(`The worker of ${queue} failed and will go on.`, { error });
        await pause(1_000, stopping.signal);
      }
    }
  }

  /** Waits until something is due: woken by the feed for new jobs, by a timer for later ones. */
  async function nextJob(): Promise<Job | undefined> {
    const elapsed = new AbortController();
    const signal = AbortSignal.any([stopping.signal, elapsed.signal]);
    let timer: NodeJS.Timeout | undefined;
    const look = async (): Promise<Job | undefined> => {
      const job = await claim();
      if (job) return job;
      clearTimeout(timer);
      timer = setTimeout(() => elapsed.abort(), Math.min(await timeToNext(), 30_000));
      return undefined;
    };
    try {
      return await db.feed.until(queueSubject(queue), look, signal);
    } catch (thrown) {
      if (signal.aborted) return undefined;
      throw thrown;
    } finally {
      clearTimeout(timer);
    }
  }

  async function timeToNext(): Promise<number> {
    const row = await db.read((q) =>
      q.get<{ at: number | null; ahead: number | null }>(sql`
        select min(case when state = 'running' then lease_until else run_at end) as at,
          max(case when ${isAhead(db.now())} then 1 else 0 end) as ahead
        from jobs
        where queue = ${queue} and state <> 'dead'`),
    );
    if (row?.ahead === 1) {
      await pullBack();
      return 0;
    }
    // A schedule that is being set is there a moment later, and nobody tells of it.
    if (row?.at === null || row === undefined) return aheadMs ?? 30_000;
    return Math.max(0, row.at - db.now());
  }

  /** Times that lie further ahead than any we set: they were set before the clock went back. */
  function isAhead(now: number): Sql {
    const late = now + CLOCKS_APART_MS;
    return sql`(created_at > ${late}
      or state = 'running' and lease_until > ${late + leaseMs}
      or state = 'waiting' and attempts > 0 and run_at > ${late + LONGEST_DELAY_MS}
      ${aheadMs === undefined ? sql.empty : sql`or state = 'waiting' and attempts = 0 and run_at > ${late + aheadMs}`})`;
  }

  /** They would wait for as long as the clock went back. What was to come is due now, what runs gets one lease. */
  async function pullBack(): Promise<void> {
    await db.write(systemActor, (tx) =>
      tx.run(sql`
        update jobs
        set run_at = case when run_at > ${tx.now} then ${tx.now} else run_at end,
          lease_until = case when lease_until > ${tx.now + leaseMs} then ${tx.now + leaseMs} else lease_until end,
          created_at = case when created_at > ${tx.now} then ${tx.now} else created_at end
        where queue = ${queue} and state <> 'dead' and ${isAhead(tx.now)}`),
    );
  }

  /** One statement takes the job: two workers can never get the same one. */
  async function claim(): Promise<Job | undefined> {
    return db.write(systemActor, (tx) =>
      takenJobs.get(
        tx,
        sql`
        update jobs
        set ${jobs.assign({ state: 'running', holder, leaseUntil: tx.now + leaseMs })}, attempts = attempts + 1
        where id = (
          select id
          from jobs
          where queue = ${queue}
            and (state = 'waiting' and run_at <= ${tx.now} or state = 'running' and lease_until <= ${tx.now})
          order by run_at, id
          limit 1
          ${tx.dialect.skipLocked}
        )
        returning ${takenJobs.columns}`,
      ),
    );
  }

  async function work(job: Job): Promise<void> {
    try {
      await whileKept(
        leaseMs,
        () => renew(job),
        async (lost) => {
          await options.run(job, AbortSignal.any([stopping.signal, lost]));
          await db.write(systemActor, (tx) => finish(tx, job)).catch(ignoreFinished);
        },
      );
    } catch (error) {
      await putBack(job, error);
    }
  }

  async function renew(job: Job): Promise<void> {
    const kept = await db.write(systemActor, (tx) =>
      jobs.update(tx, { leaseUntil: tx.now + leaseMs }, isHeld(job)),
    );
    if (kept === 0) throw new HubError('stale_fence', `The job ${job.id} was taken over by another worker.`);
  }

  async function putBack(job: Job, error: unknown): Promise<void> {
    const isDead = job.attempt >= maxAttempts;
    log.warn(`A job of ${queue} failed${isDead ? ' for good' : ''}.`, {
      id: job.id,
      attempt: job.attempt,
      error,
    });
    const delay = stopping.signal.aborted ? 0 : Math.min(LONGEST_DELAY_MS, 500 * 2 ** job.attempt);
    const state = isDead ? 'dead' : 'waiting';
    const lastError = redact(toHubError(error).message);
    await db.write(systemActor, (tx) =>
      jobs.update(tx, { state, holder: null, runAt: tx.now + delay, lastError }, isHeld(job)),
    );
  }

  return {
    async stop() {
      stopping.abort();
      await finished;
    },
  };
}

/** The worker may have finished its job itself, together with its effect. */
function ignoreFinished(error: unknown): void {
  if (!(error instanceof HubError) || error.code !== 'stale_fence') throw error;
}

export type ScheduleOptions = Readonly<{
  db: Database;
  name: string;
  holder: string;
  everyMs: number;
  run(signal: AbortSignal): Promise<void>;
  log: Log;
}>;

/** Something done again and again by whichever hub gets to it first, never by two at once. */
export function startSchedule({ db, name, holder, everyMs, run, log }: ScheduleOptions): Running {
  const queue = `schedule:${name}`;
  const first = db.write(systemActor, (tx) => setSchedule(tx, queue, tx.now + everyMs));
  first.catch((error: unknown) => log.warn(`The schedule ${name} could not be set.`, { error }));
  return startWorker({
    db,
    queue,
    holder,
    log,
    maxAttempts: Number.MAX_SAFE_INTEGER,
    aheadMs: everyMs,
    leaseMs: Math.max(30_000, everyMs),
    async run(job, signal) {
      await run(signal);
      await db.write(systemActor, (tx) =>
        jobs.update(tx, { state: 'waiting', holder: null, attempt: 0, runAt: tx.now + everyMs }, isHeld(job)),
      );
    },
  });
}
