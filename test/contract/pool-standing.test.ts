// Who is believed to live: a runner that is busy, one whose name another has, and all of them while the hub slept.
import { expect, it } from 'vitest';
import type { RunnerOffer } from '../../src/features/dispatch/pool/wire.ts';
import { operatorPrincipal } from '../../src/kernel/principal.ts';
import { handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';
import { offer } from '../fixtures/pool-hub.ts';
import { poolParts, runnerCalled } from '../fixtures/pool-parts.ts';

const [SECOND, HOUR] = [1_000, 3_600_000];
const never = new AbortController().signal;

eachEngine('runners', (engine) => {
  async function open() {
    const clock = handClock();
    const db = await (await freshPlace(engine)).open({ clock });
    const parts = poolParts(db);
    const one = runnerCalled('one');
    const claim = (more: object = {}) =>
      parts.placing.claim(one, { ...(offer() as RunnerOffer), wait_ms: 200, ...more }, never);
    const beat = (at: { run: string; attempt: number; fence: number }) =>
      parts.reports.beat(one, { ...at, id: at.run }, { asks: [], waitMs: 0, signal: never });
    const state = async () => (await parts.pool.list(operatorPrincipal)).map((each) => each.state);
    return { ...parts, clock, claim, beat, state };
  }

  it('that have no free slot are known by what they say of their work', async () => {
    const { queued, claim, beat, state, clock } = await open();
    await queued(0);
    const given = (await claim())!;
    for (let i = 0; i < 5; i += 1) {
      clock.advance(15 * SECOND);
      await beat(given);
      expect(await state()).toEqual(['ready']);
    }
    await expect(claim({ process: 'other' })).rejects.toThrow('was heard just now');
    // A folder that was copied to another machine is not the one that has the run.
    await expect(claim({ machine: 'm2 2' })).rejects.toThrow('was heard just now');
    clock.advance(46 * SECOND);
    expect(await state()).toEqual(['lost']);
  });

  it('have what is behind any number of runs that nobody can have', async () => {
    const { queued, claim, clock } = await open();
    for (let i = 0; i < 201; i += 1) await queued(0, ['quantum']);
    clock.advance(SECOND);
    const id = await queued(0);
    expect(await claim()).toMatchObject({ run: id });
  });

  it('that take over a name have nothing of what the one before them had', async () => {
    const { queued, claim, beat, clock } = await open();
    const id = await queued(1);
    const before = (await claim())!;
    // Nobody looks, and it comes back as the same: it goes on.
    clock.advance(50 * SECOND);
    await beat(before);
    clock.advance(50 * SECOND);
    const after = (await claim({ process: 'other' }))!;
    expect(after).toMatchObject({ run: id, attempt: before.attempt + 1 });
    expect(after.fence).toBeGreaterThan(before.fence);
    await expect(beat(before)).rejects.toMatchObject({ code: 'stale_fence' });
  });

  it('are not judged by what they could not say while the hub slept, nor by a clock that was set', async () => {
    const { queued, claim, beat, keeper, clock } = await open();
    await queued(0);
    const given = (await claim())!;
    const look = async (seconds: number) => {
      for (let passed = 0; passed < seconds; passed += 15) {
        clock.advance(15 * SECOND);
        await keeper.recover();
      }
    };
    for (let i = 0; i < 4; i += 1) {
      await beat(given);
      await look(15);
    }
    for (const jump of [HOUR, -HOUR, 5 * HOUR]) {
      clock.step(jump);
      await keeper.recover();
      await look(30);
      await beat(given);
    }
    // It stood still, and time passed for it as well.
    clock.advance(HOUR);
    await keeper.recover();
    await look(30);
    await beat(given);
    clock.step(-HOUR);
    await look(90);
    await expect(beat(given)).rejects.toMatchObject({ code: 'stale_fence' });
  });
});
