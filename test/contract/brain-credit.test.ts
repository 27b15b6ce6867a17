import { describe, expect, it, onTestFinished } from 'vitest';
import { createActing } from '../../src/store/calls.ts';
import { brainRoom } from '../../src/features/brain/room.ts';
import { brainPulse } from '../../src/features/brain/rows/pulse.ts';
import { spanOf } from '../../src/features/pulse/rows.ts';
import { createBoard } from '../../src/features/board/board.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { localPrincipal } from '../../src/kernel/principal.ts';
import { digestOfSeat } from '../../src/kernel/seat.ts';
import { handClock } from '../fixtures/board-host.ts';
import { ALICE, freshBrain } from '../fixtures/brain-host.ts';
import { eachEngine, freshDatabase, freshFolder } from '../fixtures/databases.ts';
import { standingOn } from '../fixtures/ground.ts';

/** How outcomes find their way to the memories that were used. */
const PATIENCE = { timeout: 20_000, interval: 50 };

eachEngine('credit', (engine) => {
  const open = async () => {
    const clock = handClock(Date.UTC(2026, 1, 25, 10));
    const db = await freshDatabase(engine, { clock });
    const fixture = freshBrain(db);
    const writer = localPrincipal('writer');
    for (const name of ['one', 'two', 'three'])
      await (await fixture.brain.open()).store(writer, { ...ALICE, name, content: `about ${name}` });
    const score = async (name: string) =>
      (await (await fixture.brain.open()).show(`entity-people-${name}`)).credit_score;
    return { ...fixture, clock, db, score };
  };

  it('groups the retrievals of a turn and credits each memory once', async () => {
    const { connect, score, db } = await open();
    const agent = connect({ profile: 'extended' });
    await agent.call('memory_search', { query: 'about one' });
    await agent.call('memory_retrieve', { id: 'entity-people-two' });
    await agent.call('memory_retrieve', { id: 'entity-people-two' });
    const { value } = await agent.call('memory_feedback', { outcome: 'good' });
    expect(value).toMatchObject({ signal: 'positive_feedback', applied: true });
    expect(value.moved.filter(({ id }: { id: string }) => id === 'entity-people-two')).toHaveLength(1);
    for (const { before, after } of value.moved) expect(after).toBeGreaterThan(before);
    expect(await score('one')).toBeGreaterThan(0.5);
    expect(await score('two')).toBeGreaterThan(0.5);
    const span = spanOf({ days: 2, offsetMin: 0, team: undefined, now: db.now() });
    const { credit } = await db.read((q) => brainPulse(q, span));
    expect(credit).toEqual([
      { day: span.first + 1, helped: value.moved.length, failed: 0, mean: expect.any(Number) },
    ]);
    expect(credit![0]!.mean).toBeGreaterThan(0.5);
  });

  it('counts a signal once per turn, and again for the next turn', async () => {
    const { connect, score } = await open();
    const agent = connect({ profile: 'extended' });
    await agent.call('memory_retrieve', { id: 'entity-people-one' });
    await agent.call('memory_feedback', { outcome: 'bad' });
    const once = await score('one');
    expect(once).toBeLessThan(0.5);
    expect((await agent.call('memory_feedback', { outcome: 'bad' })).value).toMatchObject({
      applied: false,
      moved: [],
    });
    expect(await score('one')).toBe(once);
    await agent.call('memory_retrieve', { id: 'entity-people-one' });
    await agent.call('memory_feedback', { outcome: 'bad' });
    expect(await score('one')).toBeLessThan(once);
  });

  it('counts a named signal once, however often it is repeated', async () => {
    const { connect, score } = await open();
    const agent = connect({ profile: 'extended' });
    const args = { outcome: 'good', ids: ['entity-people-one'], signal: 'review-7' };
    await agent.call('memory_feedback', args);
    const once = await score('one');
    await agent.call('memory_feedback', args);
    expect(await score('one')).toBe(once);
  });

  it('gives an earlier turn less than the last, and another session nothing', async () => {
    const { connect, clock, score } = await open();
    const [agent, other] = [connect({ profile: 'extended' }), connect()];
    await other.call('memory_retrieve', { id: 'entity-people-three' });
    await agent.call('memory_retrieve', { id: 'entity-people-one' });
    clock.advance(10 * 60_000);
    await agent.call('memory_retrieve', { id: 'entity-people-two' });
    await agent.call('memory_feedback', { outcome: 'good' });
    expect(await score('two')).toBeGreaterThan(await score('one'));
    expect(await score('one')).toBeGreaterThan(0.5);
    expect(await score('three')).toBe(0.5);
  });

  it('writes every move to the history, which survives the memory', async () => {
    const { brain, connect } = await open();
    const agent = connect({ profile: 'extended' });
    await agent.call('memory_feedback', { outcome: 'good', ids: ['entity-people-one'] });
    await (await brain.open()).archive(localPrincipal('x'), 'entity-people-one');
    const types = (await (await brain.open()).history('entity-people-one', 10)).map(
      (event) => event.event_type,
    );
    expect(types).toEqual(['gone', 'positive_feedback', 'created']);
  });

  it('follows the published formula when STRATEGY.md says so', async () => {
    const { connect, file, score } = await open();
    file.write('STRATEGY.md', '```yaml\ncredit_update: documented\n```\n');
    await connect({ profile: 'extended' }).call('memory_feedback', {
      outcome: 'good',
      ids: ['entity-people-one'],
    });
    expect(await score('one')).toBe(0.48);
  });

  it('takes the same verdict of a person again on another day', async () => {
    const { brain, clock, score } = await open();
    const person = localPrincipal('');
    const praise = async () =>
      (await brain.open()).feedback(person, { signal: 'positive_feedback', ids: ['entity-people-one'] });
    expect((await praise()).applied).toBe(true);
    expect((await praise()).applied).toBe(false);
    clock.advance(86_400_000);
    expect((await praise()).applied).toBe(true);
    expect(await score('one')).toBeGreaterThan(0.54);
  });

  it('refuses ids it does not know, moves nothing and makes no record for them', async () => {
    const { connect, brain, score } = await open();
    const ids = ['entity-people-one', 'entity-people-typo'];
    const { isError, value } = await connect({ profile: 'extended' }).call('memory_feedback', {
      outcome: 'good',
      ids,
    });
    expect([isError, value]).toEqual([
      true,
      expect.objectContaining({ code: 'not_found', id: 'entity-people-typo' }),
    ]);
    expect(await score('one')).toBe(0.5);
    expect((await (await brain.open()).report(10)).total_memories).toBe(3);
  });

  describe('from the board and the broker', () => {
    const openHub = async () => {
      const db = await freshDatabase(engine);
      const board = createBoard({ db });
      const acting = createActing(db);
      const room = brainRoom.open(
        {
          db,
          ...standingOn(db),
          log: silentLog,
          config: { vault: freshFolder(), compactEveryMs: 0 } as never,
        },
        { board },
      );
      await (await room.service.open()).store(localPrincipal('w'), ALICE);
      const running = room.start!('hub');
      onTestFinished(async () => {
        await Promise.all(running.map((one) => one.stop()));
        await room.close!();
        await board.close();
      });
      // A new consumer starts with the events that follow it.
      await expect
        .poll(
          async () =>
            db.read((q) =>
              q.all({ text: "select name from consumers where name = 'brain-outcomes'", params: [] }),
            ),
          PATIENCE,
        )
        .toHaveLength(1);
      return { db, board, brain: room.service, acting };
    };
    const ID = 'entity-people-alice-chen';
    const finish = async (
      { acting, board }: Awaited<ReturnType<typeof openHub>>,
      who: ReturnType<typeof localPrincipal>,
      to: 'done' | 'cancelled',
      agentId?: string,
    ) => {
      const call = (name: string) => ({ who, via: 'tool' as const, name, agentId });
      const task = await acting.change(call('create'), (tx, caller) =>
        board.in(tx, caller).create({ title: 't' }),
      );
      await acting.change(call('claim'), (tx, caller) =>
        board.in(tx, caller).claim({ taskId: task.id, agentId: agentId ?? who.bound.agent! }),
      );
      await acting.change(call('move'), (tx, caller) => board.in(tx, caller).move({ taskId: task.id, to }));
    };

    it('a task done by the same agent is praise', async () => {
      const hub = await openHub();
      await (await hub.brain.open()).retrieve(localPrincipal('brain-seat', { agent: 'ada' }), ID);
      await finish(hub, localPrincipal('board-seat', { agent: 'ada' }), 'done');
      await expect
        .poll(async () => (await (await hub.brain.open()).show(ID)).credit_score, PATIENCE)
        .toBe(0.55);
    });

    it('a task cancelled in the same session is blame', async () => {
      const hub = await openHub();
      await (await hub.brain.open()).retrieve(localPrincipal('one-seat'), ID);
      await finish(hub, localPrincipal('one-seat'), 'cancelled', 'bob');
      await expect
        .poll(async () => (await (await hub.brain.open()).show(ID)).credit_score, PATIENCE)
        .toBe(0.48);
    });

    it('what others finish changes nothing', async () => {
      const hub = await openHub();
      await (await hub.brain.open()).retrieve(localPrincipal('brain-seat', { agent: 'ada' }), ID);
      await finish(hub, localPrincipal('x', { agent: 'eve' }), 'done');
      await finish(hub, localPrincipal('y', { agent: 'ada' }), 'done');
      await expect
        .poll(async () => (await (await hub.brain.open()).show(ID)).credit_score, PATIENCE)
        .toBe(0.55);
      expect(
        (await (await hub.brain.open()).history(ID, 10)).filter(
          (event) => event.event_type === 'task_completed',
        ),
      ).toHaveLength(1);
    });

    it('a tool that succeeded in the same session is praise also for an agent without a name, and ends no turn', async () => {
      const hub = await openHub();
      const [seat, other] = [localPrincipal('one-seat'), localPrincipal('another-seat')];
      await (await hub.brain.open()).store(seat, { ...ALICE, name: 'bob' });
      await (await hub.brain.open()).retrieve(seat, ID);
      await (await hub.brain.open()).retrieve(other, 'entity-people-bob');
      await hub.db.write({ id: 'local', asserted: false }, async (tx) => {
        const data = { callId: 'a', tool: 'x', isError: false, seat: digestOfSeat('one-seat') };
        tx.emit({ kind: 'tool.finished', subject: 'audit', realm: 'hub', data });
      });
      await expect
        .poll(async () => (await (await hub.brain.open()).show(ID)).credit_score, PATIENCE)
        .toBeGreaterThan(0.5);
      expect((await (await hub.brain.open()).show('entity-people-bob')).credit_score).toBe(0.5);
      await (await hub.brain.open()).retrieve(seat, 'entity-people-bob');
      const { moved } = await (await hub.brain.open()).feedback(seat, { signal: 'positive_feedback' });
      expect(moved.map(({ id }) => id).toSorted()).toEqual([ID, 'entity-people-bob']);
    });

    it('a tool that succeeded is a little praise, once per turn', async () => {
      const hub = await openHub();
      await (await hub.brain.open()).retrieve(localPrincipal('brain-seat', { agent: 'ada' }), ID);
      for (const [callId, isError] of [
        ['a', true],
        ['b', false],
        ['c', false],
      ] as const) {
        await hub.db.write({ id: 'ada', asserted: false }, async (tx) => {
          tx.emit({
            kind: 'tool.finished',
            subject: 'audit',
            realm: 'hub',
            data: { callId, tool: 'x', isError },
          });
        });
      }
      await finish(hub, localPrincipal('y', { agent: 'ada' }), 'done');
      await expect
        .poll(
          async () => (await (await hub.brain.open()).history(ID, 10)).map((event) => event.event_type),
          PATIENCE,
        )
        .toEqual(['task_completed', 'tool_success', 'created']);
    });
  });
});
