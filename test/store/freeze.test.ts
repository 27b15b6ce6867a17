import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { pause } from '../../src/kernel/clock.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import type { Database } from '../../src/store/database.ts';
import { sql } from '../../src/store/sql.ts';
import { freshPlace, type Place } from '../fixtures/databases.ts';

type Told = Readonly<{ key: string; outcome: string }>;
const script = fileURLToPath(new URL('frozen-writer.ts', import.meta.url));
const LONGEST_WRITE_MS = 4_000;
/** Less than the server lets a session pause; a busy machine takes its time for anything. */
const AT_ONCE_MS = 2_500;

async function startWriter(place: Place, manner: 'plain' | 'lock' | 'row') {
  const child = fork(script, [place.location, place.schema!, manner], {
    execArgv: ['--no-warnings'],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const told: Told[] = [];
  child.on('message', (message: Told) => told.push(message));
  await expect.poll(() => told.length, { timeout: 20_000 }).toBeGreaterThan(50);
  return { child, told };
}

/** Twice as many writes as there are connections, and reads all the while. */
async function workBeside(db: Database, round: string): Promise<{ write: number; read: number }> {
  let busy = true;
  let slowest = 0;
  const reading = (async () => {
    while (busy) {
      const began = performance.now();
      await db.feed.head();
      await db.read((q) => q.get(sql`select count(*) as count from once`));
      slowest = Math.max(slowest, performance.now() - began);
      await pause(20);
    }
  })();
  const began = performance.now();
  await Promise.all(
    Array.from({ length: 16 }, (_, i) =>
      db.write(systemActor, async (tx) => {
        await tx.lock('shared');
        await tx.run(sql`update counters set value = value + 1 where name = 'shared'`);
        await tx.run(
          sql`insert into once (key, hash, answer, at) values (${`beside:${round}:${i}`}, '', '', 2)`,
        );
        tx.emit({ kind: 'b', subject: round, realm: 'hub' });
      }),
    ),
  );
  const write = performance.now() - began;
  busy = false;
  await reading;
  return { write, read: slowest };
}

async function freezeNow({ child }: { child: ChildProcess }): Promise<void> {
  await pause(Math.random() * 40);
  child.kill('SIGSTOP');
  await pause(20);
}

it('a frozen hub holds nobody up who only shares the event log with it', { timeout: 60_000 }, async () => {
  const place = await freshPlace('postgres');
  const db = await place.open();
  const writer = await startWriter(place, 'plain');
  for (let round = 0; round < 6; round += 1) {
    await freezeNow(writer);
    const { write, read } = await workBeside(db, `plain-${round}`);
    writer.child.kill('SIGCONT');
    expect(write).toBeLessThan(AT_ONCE_MS);
    expect(read).toBeLessThan(AT_ONCE_MS);
    await pause(50);
  }
});

it.each(['lock', 'row'] as const)(
  'a hub frozen with a %s in hand delays others by 4 s at most, never their reads, and repeats nothing',
  { timeout: 60_000 },
  async (manner) => {
    const place = await freshPlace('postgres');
    const db = await place.open();
    await db.write(systemActor, (tx) => tx.run(sql`insert into counters (name, value) values ('shared', 0)`));
    const writer = await startWriter(place, manner);
    await freezeNow(writer);
    const { write, read } = await workBeside(db, manner);
    expect(write).toBeLessThan(LONGEST_WRITE_MS);
    expect(read).toBeLessThan(AT_ONCE_MS);
    const before = writer.told.length;
    writer.child.kill('SIGCONT');
    await expect.poll(() => writer.told.length, { timeout: 20_000 }).toBeGreaterThan(before + 50);
    writer.child.kill('SIGTERM');
    await once(writer.child, 'exit');

    const { rows, events, head } = await db.read(async (q) => ({
      rows: await q.all<{ key: string }>(sql`select key from once where at = 1`),
      events: await q.all<{ subject: string }>(sql`select subject from events where kind = 'a'`),
      head: await q.get<{ count: number }>(sql`select count(*) as count from events`),
    }));
    const kept = new Set(rows.map(({ key }) => key));
    const acknowledged = writer.told.filter(({ outcome }) => outcome === 'done').map(({ key }) => key);
    expect(acknowledged.filter((key) => !kept.has(`row:${key}`))).toEqual([]);
    expect(events.length).toBe(kept.size);
    expect(new Set(events.map(({ subject }) => subject)).size).toBe(kept.size);
    expect(await db.feed.head()).toBe(head!.count);
    for (const { outcome } of writer.told) expect(['done', 'unavailable', 'busy']).toContain(outcome);
  },
);

it('a change that waited too long for a lock, or was cancelled, is refused as busy', async () => {
  const place = await freshPlace('postgres');
  const db = await place.open({ patienceMs: 200 });
  await db.write(systemActor, (tx) => tx.run(sql`insert into counters (name, value) values ('shared', 0)`));
  const other = await holdShared(place);
  const change = () =>
    db.write(systemActor, (tx) => tx.run(sql`update counters set value = value + 1 where name = 'shared'`));

  await expect(change()).rejects.toMatchObject({ code: 'busy', isRetryable: true });
  const cancelled = change().catch((error: unknown) => error);
  await expect
    .poll(async () => {
      const { rows } = await other.query<{ cancelled: boolean }>(
        `select pg_cancel_backend(pid) as cancelled
         from pg_stat_activity
         where application_name = $1 and wait_event_type = 'Lock'`,
        [`holdfast ${place.schema}`],
      );
      return rows.length;
    })
    .toBe(1);
  expect(await cancelled).toMatchObject({ code: 'busy', isRetryable: true });
  await other.query('rollback');
  expect(await change()).toBe(1);
});

it('a wait for a lock that a unit would swallow is tried again all the same', async () => {
  const place = await freshPlace('postgres');
  const db = await place.open();
  await db.write(systemActor, (tx) => tx.run(sql`insert into counters (name, value) values ('shared', 0)`));
  const other = await holdShared(place);
  const tries: boolean[] = [];
  const writing = db.write(systemActor, async (tx) => {
    const isCounted = await tx
      .attempt((inner) => inner.run(sql`update counters set value = value + 1 where name = 'shared'`))
      .then(
        () => true,
        () => false,
      );
    tries.push(isCounted);
  });
  await expect.poll(() => tries.length, { timeout: 10_000 }).toBe(1);
  await other.query('rollback');
  await writing;
  expect(tries.at(-1)).toBe(true);
  expect(await db.read((q) => q.get(sql`select value from counters where name = 'shared'`))).toEqual({
    value: 1,
  });
});

/** Somebody else's change of the row that all share, which stays open. */
async function holdShared(place: Place): Promise<pg.Client> {
  const other = new pg.Client({
    connectionString: place.location,
    options: `-c search_path=${place.schema}`,
  });
  await other.connect();
  onTestFinished(() => other.end());
  await other.query(`begin; update counters set value = 1 where name = 'shared'`);
  return other;
}
