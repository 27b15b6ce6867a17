import { expect, it } from 'vitest';
import { HubError } from '../../src/kernel/errors.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import type { Database, Query, Tx } from '../../src/store/database.ts';
import { sql } from '../../src/store/sql.ts';
import { leaveUnit } from '../../src/store/unit.ts';
import { eachEngine, freshDatabase, freshPlace } from '../fixtures/databases.ts';

const put = (tx: Tx, name: string, value = 1) =>
  tx.run(sql`insert into counters (name, value) values (${name}, ${value})`);
const names = (db: Database) =>
  db.read(async (q: Query) => {
    const rows = await q.all<{ name: string }>(
      sql`select name from counters where name not in ('events', 'events_floor') order by name`,
    );
    return rows.map((row) => row.name);
  });

eachEngine('a transaction', (engine) => {
  it('is visible to every read that starts after the write has resolved', async () => {
    const place = await freshPlace(engine);
    const [db, other] = [await place.open(), await place.open()];
    await db.write(systemActor, (tx) => put(tx, 'a'));
    expect(await names(db)).toEqual(['a']);
    expect(await names(other)).toEqual(['a']);
  });

  it('answers what the unit answered, with the rows in the types we store', async () => {
    const db = await freshDatabase(engine);
    const row = await db.write(systemActor, async (tx) => {
      await put(tx, 'big', 1_800_000_000_000);
      return tx.get(
        sql`select value, count(*) as n, cast(null as text) as missing from counters where name = 'big' group by value`,
      );
    });
    expect(row).toEqual({ value: 1_800_000_000_000, n: 1, missing: null });
  });

  it('keeps what it read for the next reads until somebody else has written, and never for a unit that writes', async () => {
    const place = await freshPlace(engine);
    const [db, other] = [await place.open(), await place.open()];
    let reads = 0;
    const count = (q: Query) =>
      q.kept('how many', async () => {
        reads += 1;
        return (await q.get<{ n: number }>(sql`select count(*) as n from counters where name like 'kept%'`))!
          .n;
      });
    const read = () => db.read(count);
    expect([await read(), await read()]).toEqual([0, 0]);
    // PostgreSQL cannot tell without being asked, so there each unit reads.
    expect(reads).toBe(engine === 'sqlite' ? 1 : 2);
    for (const [i, writer] of [db, other].entries()) {
      const seen = await writer.write(systemActor, async (tx) => [
        await count(tx),
        await put(tx, `kept ${i}`),
        await count(tx),
      ]);
      expect(seen).toEqual([i, 1, i + 1]);
      expect(await read()).toBe(i + 1);
    }
    // What one unit sees stays what it saw, whatever is committed meanwhile; the next sees that.
    let written: Promise<unknown> | undefined;
    const [before, after] = await db.read(async (q) => {
      const first = await count(q);
      written = leaveUnit(() => other.write(systemActor, (tx) => put(tx, 'kept 2')));
      return [first, await count(q)];
    });
    await written;
    expect([before, after, await read()]).toEqual([2, 2, 3]);
  });

  it('undoes only itself when its unit throws between good ones', async () => {
    const db = await freshDatabase(engine);
    const outcomes = await Promise.allSettled(
      Array.from({ length: 30 }, (_, i) =>
        db.write(systemActor, async (tx) => {
          await put(tx, `n${String(i).padStart(2, '0')}`);
          tx.emit({ kind: 'put', subject: `n${i}`, realm: 'hub' });
          if (i % 3 === 0) throw new HubError('conflict', 'no');
        }),
      ),
    );
    expect(outcomes.filter((o) => o.status === 'rejected')).toHaveLength(10);
    expect(await names(db)).toEqual(
      Array.from({ length: 30 }, (_, i) => i)
        .filter((i) => i % 3 !== 0)
        .map((i) => `n${String(i).padStart(2, '0')}`),
    );
    expect(await db.feed.head()).toBe(20);
  });

  it('keeps the unit’s own error as it was thrown', async () => {
    const db = await freshDatabase(engine);
    const mine = new HubError('stale_fence', 'someone else holds it');
    await expect(db.write(systemActor, () => Promise.reject(mine))).rejects.toBe(mine);
    const thrown = await db
      .write(systemActor, () => {
        throw mine;
      })
      .catch((error: unknown) => error);
    expect(thrown).toBe(mine);
  });

  it('never shows database text when a statement fails', async () => {
    const db = await freshDatabase(engine);
    await db.write(systemActor, (tx) => put(tx, 'a'));
    const error = (await db
      .write(systemActor, (tx) => put(tx, 'a'))
      .catch((thrown: unknown) => thrown)) as HubError;
    expect(error).toBeInstanceOf(HubError);
    expect(error.code).toBe('conflict');
    expect(error.message).not.toMatch(/unique|constraint|counters|duplicate/i);
  });

  it('refuses a write inside a write, and goes on working', async () => {
    const db = await freshDatabase(engine);
    await expect(
      db.write(systemActor, () => db.write(systemActor, (tx) => put(tx, 'inner'))),
    ).rejects.toThrow(/cannot start inside a write unit/);
    await expect(db.write(systemActor, () => db.read((q) => q.get(sql`select 1 as one`)))).rejects.toThrow(
      /cannot start inside a write unit/,
    );
    await expect(db.read(() => db.write(systemActor, (tx) => put(tx, 'inner')))).rejects.toThrow(
      /cannot start inside a read unit/,
    );
    await db.write(systemActor, (tx) => put(tx, 'after'));
    expect(await names(db)).toEqual(['after']);
  });

  it('rolls back and refuses a unit that waits for a timer', async () => {
    const db = await freshDatabase(engine);
    let late: Promise<unknown> | undefined;
    const slow = db.write(systemActor, async (tx) => {
      await put(tx, 'slow');
      await new Promise((resolve) => setTimeout(resolve, 30));
      late = tx.run(sql`insert into counters (name, value) values ('late', 1)`);
      await late;
    });
    const neighbour = db.write(systemActor, (tx) => put(tx, 'neighbour'));
    await expect(slow).rejects.toThrow(/awaited something other than its own statements/);
    await neighbour;
    await new Promise((resolve) => setTimeout(resolve, 60));
    await expect(late).rejects.toThrow(/unit is over/);
    expect(await names(db)).toEqual(['neighbour']);
  });

  it('refuses a read that waits for a timer', async () => {
    const db = await freshDatabase(engine);
    const slow = db.read(() => new Promise((resolve) => setTimeout(resolve, 20)));
    await expect(slow).rejects.toThrow(/awaited something other/);
    expect(await names(db)).toEqual([]);
  });

  it('lets a unit await its own statements two thousand times', async () => {
    const db = await freshDatabase(engine);
    const count = engine === 'sqlite' ? 2_000 : 500;
    const sum = await db.write(systemActor, async (tx) => {
      let total = 0;
      for (let i = 0; i < count; i += 1) total += (await tx.get<{ one: number }>(sql`select 1 as one`))!.one;
      return total;
    });
    expect(sum).toBe(count);
  });

  it('survives a failed statement only inside an attempt', async () => {
    const db = await freshDatabase(engine);
    await db.write(systemActor, (tx) => put(tx, 'taken'));
    await db.write(systemActor, async (tx) => {
      await put(tx, 'before');
      const failed = await tx
        .attempt(async (inner) => {
          await put(inner, 'undone');
          inner.emit({ kind: 'undone', subject: 'undone', realm: 'hub' });
          await put(inner, 'taken');
        })
        .catch(() => 'survived');
      expect(failed).toBe('survived');
      await put(tx, 'after');
    });
    expect(await names(db)).toEqual(['after', 'before', 'taken']);
    expect(await db.feed.head()).toBe(0);
  });

  it('rolls back a unit that hides a failed statement', async () => {
    const db = await freshDatabase(engine);
    await db.write(systemActor, (tx) => put(tx, 'taken'));
    const hidden = db.write(systemActor, async (tx) => {
      await put(tx, 'lost');
      await put(tx, 'taken').catch(() => undefined);
      await put(tx, 'also lost');
    });
    await expect(hidden).rejects.toThrow(/failed before|hid a failed/);
    const silent = db.write(systemActor, async (tx) => {
      await put(tx, 'lost too');
      await put(tx, 'taken').catch(() => undefined);
    });
    await expect(silent).rejects.toThrow(/hid a failed/);
    expect(await names(db)).toEqual(['taken']);
  });

  it('kills the tx of a unit that has ended', async () => {
    const db = await freshDatabase(engine);
    let kept: Tx | undefined;
    await db.write(systemActor, async (tx) => void (kept = tx));
    await expect(kept!.run(sql`delete from counters`)).rejects.toThrow(/unit is over/);
  });

  it('refuses NUL in text on either engine', async () => {
    const db = await freshDatabase(engine);
    await expect(db.write(systemActor, (tx) => put(tx, 'a\0b'))).rejects.toMatchObject({ code: 'invalid' });
  });

  it('says busy when too many changes wait, and serves the ones it took', async () => {
    const db = await freshDatabase(engine, { maxQueue: 20, poolSize: 1 });
    const outcomes = await Promise.allSettled(
      Array.from({ length: 60 }, (_, i) => db.write(systemActor, (tx) => put(tx, `q${i}`))),
    );
    const refused = outcomes.filter((o) => o.status === 'rejected');
    expect(refused.length).toBeGreaterThan(0);
    for (const outcome of refused) expect(outcome.reason).toMatchObject({ code: 'busy', isRetryable: true });
    expect(await names(db)).toHaveLength(60 - refused.length);
  });

  it('refuses work after it was closed, and finishes what was under way', async () => {
    const place = await freshPlace(engine);
    const db = await place.open();
    const underWay = db.write(systemActor, (tx) => put(tx, 'last'));
    if (engine === 'postgres') await underWay;
    await db.close();
    await underWay;
    await expect(db.write(systemActor, (tx) => put(tx, 'too late'))).rejects.toMatchObject({
      code: 'unavailable',
    });
    await expect(db.read((q) => q.get(sql`select 1 as one`))).rejects.toMatchObject({ code: 'unavailable' });
    expect(await names(await place.open())).toEqual(['last']);
  });

  it('guards an invariant over several rows with a named lock, from two connections at once', async () => {
    const place = await freshPlace(engine);
    const hubs = [await place.open(), await place.open()];
    const cap = 5;
    const outcomes = await Promise.allSettled(
      Array.from({ length: 24 }, (_, i) =>
        hubs[i % 2]!.write(systemActor, async (tx) => {
          await tx.lock('cap');
          const row = await tx.get<{ n: number }>(sql`select count(*) as n from counters where value = 77`);
          if (row!.n >= cap) throw new HubError('limited', 'full');
          await put(tx, `c${i}`, 77);
        }),
      ),
    );
    expect(outcomes.filter((o) => o.status === 'fulfilled')).toHaveLength(cap);
    expect(await names(hubs[0]!)).toHaveLength(cap);
  });

  it('reads one snapshot, whatever others commit meanwhile', async () => {
    const place = await freshPlace(engine);
    const [db, other] = [await place.open(), await place.open()];
    await db.write(systemActor, (tx) => put(tx, 'a', 1));
    const read = db.read(async (q) => {
      const before = await q.get<{ value: number }>(sql`select value from counters where name = 'a'`);
      for (let i = 0; i < 50; i += 1)
        await q.get(engine === 'postgres' ? sql`select pg_sleep(0.005)` : sql`select 1 as one`);
      const after = await q.get<{ value: number }>(sql`select value from counters where name = 'a'`);
      return [before!.value, after!.value];
    });
    const write = other.write(systemActor, (tx) =>
      tx.run(sql`update counters set value = 2 where name = 'a'`),
    );
    const [first, second] = await read;
    expect(first).toBe(second);
    await write;
    expect(await db.read((q) => q.get(sql`select value from counters where name = 'a'`))).toEqual({
      value: 2,
    });
  });
});

eachEngine('once', (engine) => {
  const once = (key: string, hash: string) => ({ key, hash });

  it('answers the first answer again without running the unit', async () => {
    const db = await freshDatabase(engine);
    let runs = 0;
    const unit = async (tx: Tx) => {
      runs += 1;
      await put(tx, `run${runs}`);
      return { id: runs, list: ['a'] };
    };
    const first = await db.write(systemActor, unit, once('k', 'h'));
    const second = await db.write(systemActor, unit, once('k', 'h'));
    expect(second).toEqual(first);
    expect(await names(db)).toEqual(['run1']);
  });

  it('refuses the same key with other arguments', async () => {
    const db = await freshDatabase(engine);
    await db.write(systemActor, async () => 1, once('k', 'h'));
    await expect(db.write(systemActor, async () => 2, once('k', 'other'))).rejects.toMatchObject({
      code: 'conflict',
    });
  });

  it('does not keep the key of a unit that failed', async () => {
    const db = await freshDatabase(engine);
    await expect(
      db.write(systemActor, () => Promise.reject(new HubError('conflict', 'no')), once('k', 'h')),
    ).rejects.toThrow('no');
    expect(await db.write(systemActor, async () => 'done', once('k', 'h'))).toBe('done');
  });

  it('runs once when the same request arrives eight times at the same moment on two connections', async () => {
    const place = await freshPlace(engine);
    const hubs = [await place.open(), await place.open()];
    const answers = await Promise.all(
      Array.from({ length: 8 }, (_, i) =>
        hubs[i % 2]!.write(
          systemActor,
          async (tx) => {
            await put(tx, `made-by-${i}`);
            return i;
          },
          once('k', 'h'),
        ),
      ),
    );
    expect(new Set(answers).size).toBe(1);
    expect(await names(hubs[0]!)).toHaveLength(1);
  });
});
