import { expect, it, onTestFinished } from 'vitest';
import { systemActor } from '../../src/kernel/principal.ts';
import type { Tx } from '../../src/store/database.ts';
import { openDatabase } from '../../src/store/open.ts';
import { sql } from '../../src/store/sql.ts';
import { freshPlace } from '../fixtures/databases.ts';
import { openWire } from '../linear/faults.ts';

const WITHIN_MS = 2_000;

it('what reaches the server twice is done once, and so are its events', async () => {
  const place = await freshPlace('postgres');
  const wire = await openWire(place.location);
  const db = await openDatabase(wire.url, { schema: place.schema! });
  onTestFinished(async () => {
    await db.close();
    wire.close();
  });
  const before = await db.feed.head();
  const doubling: Promise<void>[] = [];
  const change = (key: string) => async (tx: Tx) => {
    await tx.run(sql`insert into once (key, hash, answer, at) values (${key}, '', '', 1)`);
    tx.emit({ kind: 'a', subject: key, realm: 'hub' });
    // The next message on this connection, and the last of it, is the commit with its events.
    doubling.push(wire.double(WITHIN_MS));
  };
  await db.write(systemActor, change('one')).catch(() => undefined);
  await db.write(systemActor, change('two')).catch(() => undefined);
  await Promise.all(doubling);
  const direct = await place.open();
  const { keys, events, head } = await direct.read(async (q) => ({
    keys: await q.all<{ key: string }>(sql`select key from once order by key`),
    events: await q.all<{ seq: number; subject: string }>(
      sql`select seq, subject from events where seq > ${before} order by seq`,
    ),
    head: (await q.get<{ value: number }>(sql`select value from counters where name = 'events'`))!.value,
  }));
  expect(keys.length).toBeGreaterThan(0);
  expect(events.map(({ subject }) => subject).toSorted()).toEqual(keys.map(({ key }) => key));
  expect(head).toBe(before + events.length);
});
