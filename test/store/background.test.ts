import { expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { HubError } from '../../src/kernel/errors.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import { startConsumer } from '../../src/store/consumers.ts';
import type { Database } from '../../src/store/database.ts';
import { enqueue, finish, type Job } from '../../src/store/jobs.ts';
import { sql } from '../../src/store/sql.ts';
import { startSchedule, startWorker } from '../../src/store/worker.ts';
import { eachEngine, freshDatabase, freshPlace } from '../fixtures/databases.ts';

const say = (db: Database, subject: string, kind = 'said') =>
  db.write(systemActor, async (tx) => tx.emit({ kind, subject, realm: 'hub' }));

async function eventually<T>(look: () => Promise<T>, isRight: (value: T) => boolean): Promise<T> {
  for (let tries = 0; tries < 300; tries += 1) {
    const value = await look();
    if (isRight(value)) return value;
    await new Promise((resolve) => setTimeout(resolve, 30));
  }
  return look();
}

const tally = (db: Database) =>
  db.read(async (q) => {
    const rows = await q.all<{ name: string; value: number }>(
      sql`select name, value from counters where name not in ('events', 'events_floor')`,
    );
    return Object.fromEntries(rows.map((row) => [row.name, row.value]));
  });

const count = (subject: string) => sql`
  insert into counters (name, value)
  values (${subject}, 1)
  on conflict (name) do update set value = counters.value + 1`;

eachEngine('a durable consumer', (engine) => {
  const start = (db: Database, holder: string, extra: Partial<Parameters<typeof startConsumer>[0]> = {}) => {
    const running = startConsumer({
      db,
      name: 'tally',
      holder,
      want: (event) => event.kind === 'said',
      handle: async (tx, event) => void (await tx.run(count(event.subject))),
      log: silentLog,
      leaseMs: 300,
      ...extra,
    });
    onTestFinished(() => running.stop());
    return running;
  };

  it('handles every wanted event exactly once, across a stop and a start', async () => {
    const place = await freshPlace(engine);
    const db = await place.open();
    const first = start(db, 'hub-1');
    await eventually(() => db.read((q) => q.get(sql`select name from consumers`)), Boolean);
    await say(db, 'a');
    await say(db, 'ignored', 'whispered');
    await eventually(
      () => tally(db),
      (t) => t['a'] === 1,
    );
    await first.stop();
    await say(db, 'b');
    start(await place.open(), 'hub-2');
    expect(
      await eventually(
        () => tally(db),
        (t) => t['b'] === 1,
      ),
    ).toEqual({ a: 1, b: 1 });
  });

  it('runs on one hub at a time, and moves to the other when the first falls silent', async () => {
    const place = await freshPlace(engine);
    const [one, two] = [await place.open(), await place.open()];
    const first = start(one, 'hub-1');
    await eventually(() => one.read((q) => q.get(sql`select name from consumers`)), Boolean);
    start(two, 'hub-2');
    for (let i = 0; i < 20; i += 1) await say(i % 2 ? one : two, `s${i}`);
    await eventually(
      () => tally(one),
      (t) => Object.keys(t).length >= 10,
    );
    await first.stop();
    for (let i = 20; i < 30; i += 1) await say(two, `s${i}`);
    const all = await eventually(
      () => tally(two),
      (t) => Object.keys(t).length === 30,
    );
    expect(Object.values(all)).toEqual(Array.from({ length: 30 }, () => 1));
  });

  it('writes nothing for events that it has nothing to do with, and handles those that follow', async () => {
    const db = await freshDatabase(engine);
    const asked: string[] = [];
    // The lease outlasts the test: only a handled event moves the cursor.
    start(db, 'hub-1', {
      leaseMs: 600_000,
      async concerns(_q, events) {
        asked.push(...events.map(({ subject }) => subject));
        return events.some(({ subject }) => subject !== 'nobody');
      },
    });
    const position = () =>
      db.read((q) => q.get<{ position: number }>(sql`select position from consumers where name = 'tally'`));
    const begun = await eventually(position, Boolean);
    await say(db, 'nobody');
    await eventually(
      async () => asked,
      (subjects) => subjects.length === 1,
    );
    await db.flush();
    expect(await position()).toEqual(begun);
    await say(db, 'somebody');
    expect(
      await eventually(
        () => tally(db),
        (t) => t['somebody'] === 1,
      ),
    ).toEqual({ somebody: 1 });
  });

  it('handles the events of one page together, in order, and goes on after the page', async () => {
    const db = await freshDatabase(engine);
    const units = new Set<object>();
    const order: string[] = [];
    start(db, 'hub-1', {
      handle: async (tx, event) => {
        units.add(tx);
        order.push(event.subject);
        await tx.run(count(event.subject));
      },
    });
    await eventually(() => db.read((q) => q.get(sql`select name from consumers`)), Boolean);
    const subjects = Array.from({ length: 120 }, (_, i) => `s${i}`);
    await db.write(systemActor, async (tx) =>
      subjects.forEach((subject) => tx.emit({ kind: 'said', subject, realm: 'hub' })),
    );
    await say(db, 'last');
    await eventually(
      () => tally(db),
      (t) => t['last'] === 1,
    );
    expect([...new Set(order)]).toEqual([...subjects, 'last']);
    expect(units.size).toBeLessThan(10);
  });

  if (engine === 'sqlite')
    it('shares the commit of what is written next', async () => {
      let commits = 0;
      const db = await freshDatabase(engine, { onBatch: () => void (commits += 1) });
      start(db, 'hub-1', { leaseMs: 60_000 });
      await eventually(() => db.read((q) => q.get(sql`select name from consumers`)), Boolean);
      commits = 0;
      for (let i = 0; i < 60; i += 1) {
        await say(db, `s${i}`);
        // As long as the consumer needs to hear of it.
        for (let turn = 0; turn < 5; turn += 1) await new Promise((resolve) => setImmediate(resolve));
      }
      expect(commits).toBeLessThan(90);
      const all = await eventually(
        () => tally(db),
        (t) => Object.keys(t).length === 60,
      );
      expect(Object.values(all)).toEqual(Array.from({ length: 60 }, () => 1));
    });

  it('tries an event again when its handler fails, undoes what the handler did, and keeps what came before it', async () => {
    const db = await freshDatabase(engine);
    let failures = 2;
    start(db, 'hub-1', {
      handle: async (tx, event) => {
        await tx.run(count(event.subject));
        if (event.subject === 'hard' && failures-- > 0) throw new HubError('unavailable', 'not yet');
      },
    });
    await eventually(() => db.read((q) => q.get(sql`select name from consumers`)), Boolean);
    await db.write(systemActor, async (tx) =>
      ['easy', 'hard', 'last'].forEach((subject) => tx.emit({ kind: 'said', subject, realm: 'hub' })),
    );
    expect(
      await eventually(
        () => tally(db),
        (t) => t['last'] === 1,
      ),
    ).toEqual({ easy: 1, hard: 1, last: 1 });
  });
});

eachEngine('a job', (engine) => {
  const work = (
    db: Database,
    holder: string,
    run: (job: Job) => Promise<void>,
    extra: Partial<Parameters<typeof startWorker>[0]> = {},
  ) => {
    const running = startWorker({ db, queue: 'q', holder, run: (job) => run(job), log: silentLog, ...extra });
    onTestFinished(() => running.stop());
    return running;
  };

  it('is run exactly once by four workers on two hubs', async () => {
    const place = await freshPlace(engine);
    const hubs = [await place.open(), await place.open()];
    const effect = (db: Database) => (job: Job) =>
      db.write(systemActor, async (tx) => {
        await tx.run(count(`job${job.payload as number}`));
        await finish(tx, job);
      });
    for (let w = 0; w < 4; w += 1) work(hubs[w % 2]!, `hub-${w}`, effect(hubs[w % 2]!));
    await hubs[0]!.write(systemActor, async (tx) => {
      for (let i = 0; i < 40; i += 1) await enqueue(tx, { queue: 'q', payload: i });
    });
    const all = await eventually(
      () => tally(hubs[0]!),
      (t) => Object.keys(t).length === 40,
    );
    expect(Object.values(all)).toEqual(Array.from({ length: 40 }, () => 1));
    expect(
      await eventually(
        () => hubs[0]!.read((q) => q.all(sql`select id from jobs`)),
        (rows) => rows.length === 0,
      ),
    ).toEqual([]);
  });

  it('exists only if the transaction that needs it commits', async () => {
    const db = await freshDatabase(engine);
    const undone = db.write(systemActor, async (tx) => {
      await enqueue(tx, { queue: 'q' });
      throw new HubError('conflict', 'no');
    });
    await expect(undone).rejects.toThrow('no');
    expect(await db.read((q) => q.all(sql`select id from jobs`))).toEqual([]);
  });

  it('is one job while it waits under one key', async () => {
    const db = await freshDatabase(engine);
    await db.write(systemActor, async (tx) => {
      await enqueue(tx, { queue: 'q', key: 'k', payload: 1 });
      await enqueue(tx, { queue: 'q', key: 'k', payload: 2 });
      await enqueue(tx, { queue: 'other', key: 'k', payload: 3 });
    });
    const rows = await db.read((q) =>
      q.all<{ queue: string; payload: string }>(sql`select queue, payload from jobs order by queue`),
    );
    expect(rows).toEqual([
      { queue: 'other', payload: '3' },
      { queue: 'q', payload: '2' },
    ]);
  });

  it('waits for its time', async () => {
    const db = await freshDatabase(engine);
    const ran: number[] = [];
    work(db, 'hub', async () => void ran.push(Date.now()));
    const due = Date.now() + 400;
    await db.write(systemActor, (tx) => enqueue(tx, { queue: 'q', runAt: due }));
    await eventually(
      async () => ran.length,
      (n) => n === 1,
    );
    expect(ran[0]).toBeGreaterThanOrEqual(due - 20);
  });

  it('is tried again after a failure and kept as dead when it never succeeds', async () => {
    const db = await freshDatabase(engine);
    const attempts: number[] = [];
    work(
      db,
      'hub',
      async (job) => {
        attempts.push(job.attempt);
        throw new HubError('unavailable', 'the endpoint said sk-abcdefghijklmnopqrstuvwx');
      },
      { maxAttempts: 2 },
    );
    await db.write(systemActor, (tx) => enqueue(tx, { queue: 'q' }));
    const dead = await eventually(
      () =>
        db.read((q) => q.get<{ state: string; last_error: string }>(sql`select state, last_error from jobs`)),
      (row) => row?.state === 'dead',
    );
    expect(attempts).toEqual([1, 2]);
    expect(dead!.last_error).toBe('the endpoint said [REDACTED]');
  });

  it('is taken over when its worker falls silent, and the late worker cannot finish it', async () => {
    const db = await freshDatabase(engine);
    await db.write(systemActor, (tx) => enqueue(tx, { queue: 'q' }));
    let stale: Job | undefined;
    const { promise: awake, resolve: wake } = Promise.withResolvers<void>();
    const silent = work(db, 'silent', async (job) => {
      stale = job;
      await db.write(systemActor, (tx) => tx.run(sql`update jobs set lease_until = 0`));
      await awake;
    });
    await eventually(async () => stale, Boolean);
    const done: number[] = [];
    work(db, 'alive', async (job) => void done.push(job.attempt));
    await eventually(
      async () => done.length,
      (n) => n === 1,
    );
    expect(done).toEqual([2]);
    await expect(db.write(systemActor, (tx) => finish(tx, stale!))).rejects.toMatchObject({
      code: 'stale_fence',
    });
    wake();
    await silent.stop();
  });

  it('does not wait for an hour when the clock is set back by one: jobs, schedules, leases of the dead', async () => {
    let ahead = 3_600_000;
    const clock = { ...systemClock, now: () => Date.now() + ahead };
    const db = await freshDatabase(engine, { clock });
    const ran: string[] = [];
    await db.write(systemActor, (tx) => enqueue(tx, { queue: 'q', payload: 'new' }));
    await db.write(systemActor, (tx) =>
      tx.run(sql`
        insert into jobs (id, queue, payload, state, run_at, attempts, holder, lease_until, created_at)
        values ('dead', 'q', '"held by the dead"', 'running', 0, 1, 'gone', ${tx.now + 300}, 0)`),
    );
    const schedule = () =>
      startSchedule({
        db,
        name: 'sweep',
        holder: 'hub',
        everyMs: 300,
        log: silentLog,
        run: async () => void ran.push('sweep'),
      });
    const before = schedule();
    await eventually(
      async () => ran.includes('sweep'),
      (isThere) => isThere,
    );
    await before.stop();
    ran.length = 0;
    ahead = 0;
    const after = schedule();
    onTestFinished(() => after.stop());
    work(db, 'hub', async ({ payload }) => void ran.push(String(payload)), { leaseMs: 300 });
    await eventually(
      async () => new Set(ran).size,
      (n) => n === 3,
    );
    expect(new Set(ran)).toEqual(new Set(['new', 'held by the dead', 'sweep']));
  });

  it('repeats on schedule, on one of two hubs at a time', async () => {
    const place = await freshPlace(engine);
    const hubs = [await place.open(), await place.open()];
    let atOnce = 0;
    let most = 0;
    let runs = 0;
    for (const [i, db] of hubs.entries()) {
      const running = startSchedule({
        db,
        name: 'sweep',
        holder: `hub-${i}`,
        everyMs: 60,
        log: silentLog,
        async run() {
          atOnce += 1;
          most = Math.max(most, atOnce);
          await new Promise((resolve) => setTimeout(resolve, 20));
          atOnce -= 1;
          runs += 1;
        },
      });
      onTestFinished(() => running.stop());
    }
    await eventually(
      async () => runs,
      (n) => n >= 4,
    );
    expect(runs).toBeGreaterThanOrEqual(4);
    expect(most).toBe(1);
  });
});
