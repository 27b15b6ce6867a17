import { expect, it } from 'vitest';
import { directHost, freshBoard, handClock } from '../../../../test/fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../../../../test/fixtures/databases.ts';
import { localPrincipal, systemActor } from '../../../kernel/principal.ts';
import { createLog } from '../../../kernel/log.ts';
import { pause } from '../../../kernel/clock.ts';
import { callerOf } from '../../../store/calls.ts';
import { heartbeat } from './claims.ts';
import { createRenewals } from './renewals.ts';

const LEASE = 60_000;

eachEngine('renewals', (engine) => {
  it('write themselves down after a while, also when the sign came from within a unit', async () => {
    const clock = handClock();
    const db = await freshDatabase(engine, { clock });
    const warnings: string[] = [];
    const log = createLog('warn', (line) => void warnings.push(line));
    const board = freshBoard(db, { leaseMs: LEASE, flushMs: 20, log });
    const caller = callerOf({ who: localPrincipal(''), via: 'tool', agentId: 'ann' });
    const task = await db.write(systemActor, (tx) =>
      board.in(tx, caller).create({ title: 'a', status: 'in_progress' }),
    );
    clock.advance(1_000);
    await db.read((q) => heartbeat(board.sight(q, caller), task.id));
    const watcher = await directHost(db, freshBoard(db, { leaseMs: LEASE })).connect();
    const leaseUntil = async () =>
      (await watcher.call('get_task', { taskId: task.id })).value.task.leaseUntil;
    for (let i = 0; i < 200 && (await leaseUntil()) !== clock.now() + LEASE; i += 1) await pause(10);
    expect(await leaseUntil()).toBe(clock.now() + LEASE);
    expect(warnings).toEqual([]);
  });

  it('stay in memory when they could not be written, and are written later', async () => {
    const clock = handClock();
    const db = await freshDatabase(engine, { clock });
    let isBroken = true;
    const flaky = {
      ...db,
      now: () => db.now(),
      elapsed: () => db.elapsed(),
      write: ((...args: Parameters<typeof db.write>) =>
        isBroken
          ? Promise.reject(new Error('disk full'))
          : (written++, db.write(...args))) as typeof db.write,
    };
    let written = 0;
    const renewals = createRenewals({ db: flaky, leaseMs: LEASE, log: createLog('silent'), flushMs: 60_000 });
    renewals.touchSeat('seat');
    await expect(renewals.flush()).rejects.toThrow('disk full');
    expect(renewals.leaseOf({ id: 'x', fence: 1, seat: 'seat' })).toBe(clock.now() + LEASE);
    isBroken = false;
    await renewals.close();
    expect(written).toBe(1);
    clock.advance(LEASE + 1);
    renewals.touchSeat('another');
    expect(renewals.leaseOf({ id: 'x', fence: 1, seat: 'seat' })).toBeUndefined();
  });
});
