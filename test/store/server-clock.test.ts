import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/kernel/clock.ts';
import { localPrincipal, systemActor } from '../../src/kernel/principal.ts';
import { callerOf } from '../../src/store/calls.ts';
import { freshBoard } from '../fixtures/board-host.ts';
import { freshPlace, type Place } from '../fixtures/databases.ts';

const LEASE = 5_000;
const HOUR = 60 * 60_000;

/** The clock of one machine: it can be set, and what has passed can stand still, as it does in sleep. */
function machineClock() {
  let [set, slept] = [0, 0];
  return {
    now: () => systemClock.now() + set,
    elapsed: () => systemClock.elapsed() - slept,
    step: (ms: number) => void (set += ms),
    /** Everybody else is so much further when it wakes; what has passed here is not. */
    sleep: (ms: number) => void (slept += ms),
  };
}

async function hubOn(place: Place, name: string) {
  const clock = machineClock();
  const db = await place.open({ clock, followsServer: true });
  const board = freshBoard(db, { leaseMs: LEASE });
  const caller = callerOf({ who: localPrincipal(name), via: 'tool', agentId: name });
  const take = (taskId: string) =>
    db.write(systemActor, (tx) => board.in(tx, caller).claim({ taskId, agentId: name }));
  return {
    clock,
    db,
    take,
    add: () => db.write(systemActor, (tx) => board.in(tx, caller).create({ title: 'a' })),
  };
}

describe('hubs on one PostgreSQL keep its time', () => {
  it.each([HOUR, -HOUR, 60_000])(
    'a hub whose clock is set by %i ms steals no living claim and grants no other lease',
    async (by) => {
      const place = await freshPlace('postgres');
      const [steady, stepped] = [await hubOn(place, 'ann'), await hubOn(place, 'bob')];
      const [held, free] = [await steady.add(), await steady.add()];
      await steady.take(held.id);
      stepped.clock.step(by);
      await expect(stepped.take(held.id)).rejects.toThrow('conflict');
      const { leaseUntil } = await stepped.take(free.id);
      expect(Math.abs(leaseUntil! - steady.db.now() - LEASE)).toBeLessThan(1_000);
      await expect(steady.take(free.id)).rejects.toThrow('conflict');
    },
  );

  it('a step shows nowhere, not even for a moment', async () => {
    const { clock, db } = await hubOn(await freshPlace('postgres'), 'ann');
    const before = db.now();
    clock.step(HOUR);
    expect(Math.abs(db.now() - before)).toBeLessThan(1_000);
  });

  it('after sleep the server is asked before anything is written', async () => {
    const place = await freshPlace('postgres');
    const [awake, sleeper] = [await hubOn(place, 'ann'), await hubOn(place, 'bob')];
    const task = await awake.add();
    sleeper.clock.sleep(HOUR);
    const { leaseUntil } = await sleeper.take(task.id);
    expect(Math.abs(leaseUntil! - awake.db.now() - LEASE)).toBeLessThan(1_000);
  });
});
