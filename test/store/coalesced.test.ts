import { expect, it } from 'vitest';
import { HubError } from '../../src/kernel/errors.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { systemActor } from '../../src/kernel/principal.ts';
import { createCoalesced } from '../../src/store/coalesced.ts';
import type { Tx } from '../../src/store/database.ts';
import { sql } from '../../src/store/sql.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';

const save = (tx: Tx, name: string, value: number) =>
  tx.run(sql`
    insert into counters (name, value)
    values (${name}, ${value})
    on conflict (name) do update set value = excluded.value`);

eachEngine('coalesced facts', (engine) => {
  const open = async (write = save, everyMs = 3_600_000) => {
    const db = await freshDatabase(engine);
    const facts = createCoalesced<number>({ db, log: silentLog, what: 'Facts', everyMs, write });
    const onDisk = async (name: string) =>
      (await db.read((q) => q.get<{ value: number }>(sql`select value from counters where name = ${name}`)))
        ?.value;
    return { db, facts, onDisk };
  };

  it('are readable at once and on disk after a flush, the newest of each key', async () => {
    const { facts, onDisk } = await open();
    facts.set('a', 1);
    facts.set('b', 5);
    facts.set('a', 2);
    expect([facts.get('a'), await onDisk('a')]).toEqual([2, undefined]);
    await facts.flush();
    expect([facts.get('a'), await onDisk('a'), await onDisk('b')]).toEqual([undefined, 2, 5]);
  });

  it('one that was dropped is not written, and the others are', async () => {
    const { facts, onDisk } = await open();
    facts.set('a', 1);
    facts.set('b', 2);
    facts.drop('a');
    expect([facts.size, facts.get('a')]).toEqual([1, undefined]);
    await facts.close();
    expect([await onDisk('a'), await onDisk('b'), facts.size]).toEqual([undefined, 2, 0]);
  });

  it('are written without being asked, also when they come from within a unit', async () => {
    const { db, facts, onDisk } = await open(save, 10);
    await db.write(systemActor, async () => facts.set('a', 1));
    await expect.poll(() => onDisk('a'), { timeout: 20_000 }).toBe(1);
  });

  it('stay in memory when they could not be written, and go with the next flush', async () => {
    let failures = 1;
    const { facts, onDisk } = await open(async (tx, name, value) => {
      if (failures-- > 0) throw new HubError('unavailable', 'not now');
      return save(tx, name, value);
    });
    facts.set('a', 1);
    await expect(facts.flush()).rejects.toThrow('not now');
    expect(facts.get('a')).toBe(1);
    await facts.close();
    expect(await onDisk('a')).toBe(1);
  });

  it('a newer one that comes during a flush is kept for the next', async () => {
    let isFirst = true;
    const { facts, onDisk } = await open(async (tx, name, value) => {
      if (isFirst) facts.set('a', 2);
      isFirst = false;
      return save(tx, name, value);
    });
    facts.set('a', 1);
    await facts.flush();
    expect([facts.get('a'), await onDisk('a')]).toEqual([2, 1]);
    await facts.close();
    expect(await onDisk('a')).toBe(2);
  });

  it('are written by one statement where they come together, and as one', async () => {
    const db = await freshDatabase(engine);
    const written: (readonly number[])[] = [];
    let failures = 1;
    const facts = createCoalesced<number>({
      db,
      log: silentLog,
      what: 'Facts',
      everyMs: 3_600_000,
      async writeAll(tx, values) {
        if (failures-- > 0) throw new HubError('unavailable', 'not now');
        written.push(values);
        await save(
          tx,
          'sum',
          values.reduce((sum, value) => sum + value, 0),
        );
      },
    });
    for (const name of ['b', 'a', 'c']) facts.set(name, name.charCodeAt(0));
    await expect(facts.flush()).rejects.toThrow('not now');
    expect(facts.size).toBe(3);
    await facts.close();
    expect([written, facts.size]).toEqual([[[97, 98, 99]], 0]);
    const sum = sql`select value from counters where name = 'sum'`;
    expect(await db.read((q) => q.get(sum))).toEqual({ value: 294 });
  });
});
