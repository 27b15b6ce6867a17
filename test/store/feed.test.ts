import { expect, it } from 'vitest';
import type { Event } from '../../src/kernel/event.ts';
import { HubError } from '../../src/kernel/errors.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import type { Database } from '../../src/store/database.ts';
import { eventsAbout } from '../../src/store/events.ts';
import { dropEventsBefore } from '../../src/store/retention.ts';
import { sql } from '../../src/store/sql.ts';
import { eachEngine, freshDatabase, freshPlace } from '../fixtures/databases.ts';

const say = (db: Database, subject: string, kind = 'said') =>
  db.write(systemActor, async (tx) =>
    tx.emit({ kind, subject, realm: 'hub', team: 'red', data: { n: 1, ok: true } }),
  );

async function collect(db: Database, after: number, count: number, signal: AbortSignal): Promise<Event[]> {
  const events: Event[] = [];
  for await (const event of db.feed.tail(after, () => true, signal)) {
    if ('gapBefore' in event) throw new Error(`a gap before ${event.gapBefore}`);
    events.push(event);
    if (events.length === count) break;
  }
  return events;
}

eachEngine('the event log', (engine) => {
  it('gives back what was written, with who, when and where', async () => {
    const db = await freshDatabase(engine, { hub: 'hub-1' });
    await db.write({ id: 'ada', asserted: true }, async (tx) =>
      tx.emit({ kind: 'said', subject: 's', realm: 'being:b', data: { n: 2 } }),
    );
    const [event] = await collect(db, 0, 1, AbortSignal.timeout(20_000));
    expect(event).toMatchObject({
      seq: 1,
      kind: 'said',
      subject: 's',
      realm: 'being:b',
      data: { n: 2 },
      actor: { id: 'ada', asserted: true },
      hub: 'hub-1',
    });
    expect(event!.team).toBeUndefined();
    expect(Math.abs(event!.at - Date.now())).toBeLessThan(10_000);
    expect(await db.read((q) => eventsAbout(q, 's', { after: 0, limit: 10 }))).toEqual([event]);
  });

  it('numbers events without gaps in commit order while eight writers commit and roll back out of order', async () => {
    const place = await freshPlace(engine);
    const writers = await Promise.all(Array.from({ length: 8 }, () => place.open({ poolSize: 2 })));
    const reader = await place.open();
    const perWriter = 25;
    const kept = writers.length * perWriter * 2;
    const watching = collect(reader, 0, kept, AbortSignal.timeout(25_000));
    await Promise.all(
      writers.map(async (db, w) => {
        for (let i = 0; i < perWriter; i += 1) {
          await db.write(systemActor, async (tx) => {
            tx.emit({ kind: 'a', subject: `${w}:${i}`, realm: 'hub' });
            if (engine === 'postgres' && i % 5 === 0)
              await tx.get(sql`select pg_sleep(${Math.random() / 100})`);
            tx.emit({ kind: 'b', subject: `${w}:${i}`, realm: 'hub' });
          });
          const undone = db.write(systemActor, async (tx) => {
            tx.emit({ kind: 'never', subject: 'never', realm: 'hub' });
            throw new HubError('conflict', 'undone');
          });
          await expect(undone).rejects.toThrow('undone');
        }
      }),
    );
    const seen = await watching;
    expect(seen.map((event) => event.seq)).toEqual(Array.from({ length: kept }, (_, i) => i + 1));
    for (const [w] of writers.entries()) {
      const mine = seen.filter((event) => event.subject.startsWith(`${w}:`));
      expect(mine.map((event) => `${event.subject}${event.kind}`)).toEqual(
        Array.from({ length: perWriter }, (_, i) => [`${w}:${i}a`, `${w}:${i}b`]).flat(),
      );
    }
    expect(await reader.feed.head()).toBe(kept);
  });

  it('goes on from any cursor', async () => {
    const db = await freshDatabase(engine);
    for (let i = 1; i <= 5; i += 1) await say(db, `s${i}`);
    const rest = await collect(db, 3, 2, AbortSignal.timeout(20_000));
    expect(rest.map((event) => event.seq)).toEqual([4, 5]);
  });

  it('wakes a reader that waits, for commits of its own process and of others', async () => {
    const place = await freshPlace(engine);
    const [db, other] = [await place.open(), await place.open()];
    const watching = collect(db, 0, 2, AbortSignal.timeout(20_000));
    await new Promise((resolve) => setTimeout(resolve, 50));
    await say(db, 'mine');
    await say(other, 'theirs');
    expect((await watching).map((event) => event.subject)).toEqual(['mine', 'theirs']);
  });

  it('ends a reader when it is told to', async () => {
    const db = await freshDatabase(engine);
    const stop = new AbortController();
    let seen = 0;
    const watching = (async () => {
      for await (const _ of db.feed.tail(0, () => true, stop.signal)) seen += 1;
    })();
    await say(db, 's');
    await expect.poll(() => seen).toBe(1);
    stop.abort();
    await watching;
  });

  it('tells a reader with an old cursor what retention took', async () => {
    const db = await freshDatabase(engine);
    for (let i = 1; i <= 6; i += 1) await say(db, `s${i}`);
    await db.write(systemActor, (tx) => tx.run(sql`update events set at = 1000 where seq <= 4`));
    expect(await db.write(systemActor, (tx) => dropEventsBefore(tx, 2000))).toBe(4);
    const seen: unknown[] = [];
    for await (const event of db.feed.tail(1, () => true, AbortSignal.timeout(20_000))) {
      seen.push('gapBefore' in event ? event : event.seq);
      if (seen.length === 3) break;
    }
    expect(seen).toEqual([{ gapBefore: 5 }, 5, 6]);
    await say(db, 's7');
    expect(await db.feed.head()).toBe(7);
  });
});

eachEngine('until', (engine) => {
  it('answers at once when the condition already holds', async () => {
    const db = await freshDatabase(engine);
    expect(await db.feed.until('s', async () => 'yes', AbortSignal.timeout(20_000))).toBe('yes');
  });

  it('is woken by an event about its subject, from this process or another', async () => {
    const place = await freshPlace(engine);
    const [db, other] = [await place.open(), await place.open()];
    for (const writer of [db, other]) {
      let ready = false;
      let asked = 0;
      const waiting = db.feed.until(
        'door',
        async () => {
          asked += 1;
          return ready ? 'open' : undefined;
        },
        AbortSignal.timeout(20_000),
      );
      await expect.poll(() => asked).toBe(1);
      await say(writer, 'window');
      ready = true;
      await say(writer, 'door');
      expect(await waiting).toBe('open');
      expect(asked).toBe(2);
    }
  });

  it('misses nothing that happens while the condition is being looked at', async () => {
    const db = await freshDatabase(engine);
    let ready = false;
    const answer = await db.feed.until(
      'door',
      async () => {
        if (ready) return 'open';
        ready = true;
        await say(db, 'door');
        return undefined;
      },
      AbortSignal.timeout(20_000),
    );
    expect(answer).toBe('open');
  });

  it('rejects with the reason when the caller gives up', async () => {
    const db = await freshDatabase(engine);
    const stop = new AbortController();
    const waiting = db.feed.until('door', async () => undefined, stop.signal);
    setTimeout(() => stop.abort(new Error('enough')), 20);
    await expect(waiting).rejects.toThrow('enough');
  });

  it('tells those who wait when the database closes', async () => {
    const db = await freshDatabase(engine);
    const waiting = db.feed.until('door', async () => undefined, AbortSignal.timeout(20_000));
    setTimeout(() => void db.close(), 50);
    await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  });
});
