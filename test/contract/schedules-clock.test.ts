// When schedules fire, by a clock that the test moves.
import { expect, it, onTestFinished } from 'vitest';
import { handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';
import { schedulesOn } from '../fixtures/schedule-place.ts';

const [MINUTE, HOUR] = [60_000, 3_600_000];
const START = Date.parse('2026-05-01T06:30:00Z');

eachEngine('schedules by the clock', (engine) => {
  async function open() {
    const clock = handClock(START);
    const place = await freshPlace(engine);
    const db = await place.open({ clock });
    const here = schedulesOn(db);
    onTestFinished(() => here.close());
    const times = async (id: string) =>
      (await here.look(id)).fires.map(({ at }) => at.slice(11, 16)).toReversed();
    return { ...here, clock, place, db, times };
  }

  it('fire at their time and not before', async () => {
    const { add, plan, clock, times, look } = await open();
    const { id, next } = await add();
    expect(next).toBe('2026-05-01T07:00:00.000Z');
    clock.advance(29 * MINUTE);
    expect([await plan(), await times(id)]).toEqual([0, []]);
    clock.advance(MINUTE);
    expect([await plan(), await times(id), await plan()]).toEqual([1, ['07:00'], 0]);
    expect((await look(id)).schedule).toMatchObject({
      next: '2026-05-01T08:00:00.000Z',
      last: '2026-05-01T07:00:00.000Z',
    });
  });

  it('that were missed follow their rule; a pause is not missed', async () => {
    const { add, plan, clock, times, pause, resume } = await open();
    const ids: string[] = [];
    for (const missed of ['skip', 'once', 'all'] as const) ids.push((await add({ missed })).id);
    const paused = (await add({ missed: 'all' })).id;
    await pause(paused);
    clock.advance(3 * HOUR);
    await plan();
    expect(await Promise.all(ids.map(times))).toEqual([[], ['09:00'], ['07:00', '08:00', '09:00']]);
    await resume(paused);
    await plan();
    expect(await times(paused)).toEqual([]);
    clock.advance(30 * MINUTE);
    await plan();
    expect(await times(paused)).toEqual(['10:00']);
  });

  it('a clock that is set back fires nothing twice, and nothing is lost for long', async () => {
    const { add, plan, clock, times, look } = await open();
    const { id } = await add();
    clock.advance(30 * MINUTE);
    await plan();
    // A day ahead by mistake, and back.
    clock.step(24 * HOUR);
    await plan();
    clock.step(-24 * HOUR);
    await plan();
    expect((await look(id)).schedule.next).toBe('2026-05-01T08:00:00.000Z');
    clock.step(-45 * MINUTE);
    await plan();
    clock.advance(45 * MINUTE);
    await plan();
    expect(await times(id)).toEqual(['07:00', '07:00']);
    expect((await look(id)).fires.map(({ at }) => at.slice(8, 10))).toEqual(['02', '01']);
  });

  it('fire once when several hubs see the same time', async () => {
    const { add, clock, place, times, work, look } = await open();
    const { id } = await add();
    clock.advance(30 * MINUTE);
    const others = await Promise.all(
      Array.from({ length: 3 }, async () => schedulesOn(await place.open({ clock }))),
    );
    await Promise.all(others.flatMap(({ plan }) => [plan(), plan()]));
    expect(await times(id)).toEqual(['07:00']);
    const workers = ['a', 'b'].map(work);
    await expect.poll(async () => (await look(id)).fires[0]!.state, { timeout: 10_000 }).toBe('started');
    await Promise.all([...workers.map((each) => each.stop()), ...others.map(({ close }) => close())]);
  });

  it('ten thousand cost nothing while none is due', { timeout: 60_000 }, async () => {
    const { add, plan, db, clock } = await open();
    const { sql } = await import('../../src/store/sql.ts');
    const { systemActor } = await import('../../src/kernel/principal.ts');
    const { id } = await add();
    await db.write(systemActor, (tx) =>
      tx.run(sql`
        with recursive n (i) as (select 1 union all select i + 1 from n where i < 9999)
        insert into schedules
          (id, kind, wanted, pattern, tz, missed, agent, prompt, paused, made_by, hops, next_at, planned_at, created_at)
        select 'copy-' || i, kind, wanted, pattern, tz, missed, agent, prompt, paused, made_by, hops, next_at,
          planned_at, created_at
        from n, schedules
        where id = ${id}`),
    );
    await expect(add()).rejects.toThrow(/10000 schedules/);
    const began = performance.now();
    for (let i = 0; i < 100; i += 1) expect(await plan()).toBe(0);
    expect(performance.now() - began).toBeLessThan(5_000);
    clock.advance(30 * MINUTE);
    expect(await plan()).toBe(100);
  });
});
