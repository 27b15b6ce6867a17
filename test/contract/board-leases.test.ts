import { expect, it } from 'vitest';
import { callerOf, createActing } from '../../src/store/calls.ts';
import { localPrincipal, systemActor } from '../../src/kernel/principal.ts';
import { directHost, freshBoard, handClock, type BoardClient } from '../fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';
import { seatOf } from '../../src/kernel/seat.ts';

const LEASE = 60_000;

eachEngine('leases', (engine) => {
  async function open(options: object = {}) {
    const clock = handClock();
    const db = await freshDatabase(engine, { clock });
    const board = freshBoard(db, { leaseMs: LEASE, ...options });
    const host = directHost(db, board);
    const sweep = () => db.write(systemActor, (tx) => board.sweep(tx));
    const connect = (session: object = {}) => host.connect({ profile: 'extended', ...session });
    return { clock, db, board, sweep, connect, ann: await connect(), bob: await connect() };
  }

  it('lets another agent judge work that was handed in for review, and nothing else', async () => {
    const { connect, ann } = await open();
    const { value: task } = await ann.call('create_task', { title: 'a' });
    await ann.call('claim_task', { taskId: task.id, assigneeAgentId: 'ann' });
    const reviewer = await connect({ agent: 'rita' });
    expect((await reviewer.call('update_task_status', { taskId: task.id, status: 'done' })).value.code).toBe(
      'not_holder',
    );
    await ann.call('update_task_status', { taskId: task.id, status: 'in_review' });
    expect(
      (await reviewer.call('update_task_status', { taskId: task.id, status: 'cancelled' })).value.code,
    ).toBe('not_holder');
    const back = await reviewer.call('update_task_status', { taskId: task.id, status: 'in_progress' });
    expect(back.value).toMatchObject({ status: 'in_progress', assigneeAgentId: 'ann' });
    await ann.call('update_task_status', { taskId: task.id, status: 'in_review' });
    const done = await reviewer.call('update_task_status', { taskId: task.id, status: 'done' });
    expect(done.value).toMatchObject({ status: 'done', assigneeAgentId: 'ann' });
  });

  it('lets the next claimant take over as soon as the lease has run out, and tells so', async () => {
    const { clock, ann, bob } = await open();
    const id = await claimed(ann, 'ann');
    clock.advance(LEASE - 1);
    expect((await claim(bob, id, 'bob')).lines[0]).toBe('claim failed: conflict');
    clock.advance(1);
    expect((await claim(bob, id, 'bob')).value).toMatchObject({
      assigneeAgentId: 'bob',
      fence: 2,
      status: 'in_progress',
    });
    const { comments } = (await bob.call('get_task', { taskId: id })).value;
    expect(comments).toEqual([
      expect.objectContaining({ authorType: 'system', body: expect.stringMatching(/bob.*ann/) }),
    ]);
  });

  it('shows a lapsed claim among the ready tasks and hands it out as the next one', async () => {
    const { clock, ann, bob } = await open();
    const id = await claimed(ann, 'ann');
    expect((await bob.call('list_tasks', { ready: true })).value.total).toBe(0);
    clock.advance(LEASE);
    expect((await bob.call('list_tasks', { ready: true })).value.total).toBe(1);
    expect((await bob.call('claim_next_task', { assigneeAgentId: 'bob' })).value.task).toMatchObject({
      id,
      fence: 2,
    });
  });

  it('refuses the seat that lost its claim, whatever it tries, and still takes its notes', async () => {
    const { clock, ann, bob } = await open();
    const id = await claimed(ann, 'ann');
    clock.advance(LEASE);
    await claim(bob, id, 'bob');
    for (const [tool, args, line] of [
      ['update_task_status', { status: 'done' }, 'status change failed: stale_fence'],
      ['update_task_status', { status: 'in_progress' }, 'status change failed: stale_fence'],
      ['release_task', {}, 'release failed: stale_fence'],
      ['block_task', {}, 'block failed: stale_fence'],
      ['heartbeat_task', {}, 'heartbeat failed: stale_fence'],
      ['update_task', { title: 'mine' }, 'update failed: stale_fence'],
    ] as const) {
      const refused = await ann.call(tool, { taskId: id, ...args });
      expect(refused.lines[0]).toBe(line);
      expect(refused.value).toMatchObject({ code: 'stale_fence', holder: { agentId: 'bob' } });
    }
    expect((await ann.call('add_comment', { taskId: id, body: 'notes' })).value.authorAgentId).toBe('ann');
    expect((await bob.call('update_task_status', { taskId: id, status: 'done' })).value.status).toBe('done');
  });

  it('refuses the attempt that died although its successor has the same name', async () => {
    const { clock, ann, connect } = await open();
    const id = await claimed(ann, 'ann');
    clock.advance(LEASE);
    const successor = await connect();
    expect((await claim(successor, id, 'ann')).value.fence).toBe(2);
    expect(
      (await ann.call('update_task_status', { taskId: id, status: 'done', agentId: 'ann' })).value.code,
    ).toBe('stale_fence');
  });

  it('renews the lease by any call of the seat that holds it', async () => {
    const { clock, ann, bob } = await open();
    const id = await claimed(ann, 'ann');
    for (let i = 0; i < 3; i += 1) {
      clock.advance(LEASE - 1);
      await ann.call('list_tasks');
    }
    expect((await claim(bob, id, 'bob')).lines[0]).toBe('claim failed: conflict');
    expect((await bob.call('claim_next_task', { assigneeAgentId: 'bob' })).value.task).toBeNull();
    clock.advance(LEASE);
    expect((await claim(bob, id, 'bob')).isError).toBe(false);
  });

  it('renews the lease by heartbeats, of a bound agent too', async () => {
    const { clock, connect, bob } = await open();
    const ann = await connect({ agent: 'ann' });
    const id = await claimed(ann, 'ann');
    const again = await connect({ agent: 'ann' });
    clock.advance(LEASE - 1);
    expect((await again.call('heartbeat_task', { taskId: id })).value.leaseUntil).toBe(clock.now() + LEASE);
    clock.advance(LEASE - 1);
    expect((await claim(bob, id, 'bob')).isError).toBe(true);
  });

  it('renews the lease by any call of a bound agent that comes without a connection', async () => {
    const { clock, db, board, bob } = await open();
    const acting = createActing(db);
    const ann = localPrincipal('', { agent: 'ann' });
    const id = await claimed(bob, 'bob').then(async (taskId) => {
      await bob.call('release_task', { taskId });
      await acting.change({ who: ann, via: 'tool', name: 'claim' }, (tx, caller) =>
        board.in(tx, caller).claim({ taskId, agentId: 'ann' }),
      );
      return taskId;
    });
    clock.advance(LEASE - 1);
    board.touchSeat(seatOf(ann)!);
    clock.advance(1);
    expect((await claim(bob, id, 'bob')).lines[0]).toBe('claim failed: conflict');
  });

  it('does not renew the lease by calls of somebody else', async () => {
    const { clock, ann, bob } = await open();
    const id = await claimed(ann, 'ann');
    clock.advance(LEASE - 1);
    await bob.call('get_task', { taskId: id });
    await bob.call('add_comment', { taskId: id, body: 'hurry' });
    clock.advance(1);
    expect((await claim(bob, id, 'bob')).isError).toBe(false);
  });

  it('writes renewals together, without events', async () => {
    const { clock, db, board, ann } = await open();
    const id = await claimed(ann, 'ann');
    const head = await db.feed.head();
    clock.advance(10);
    for (let i = 0; i < 20; i += 1) await ann.call('heartbeat_task', { taskId: id });
    await board.flush();
    expect(await db.feed.head()).toBe(head);
    const other = freshBoard(db, { leaseMs: LEASE });
    const watcher = await directHost(db, other).connect();
    expect((await watcher.call('get_task', { taskId: id })).value.task.leaseUntil).toBe(clock.now() + LEASE);
  });

  it('lets a slow holder go on when nobody took its task meanwhile', async () => {
    const { clock, ann } = await open();
    const id = await claimed(ann, 'ann');
    clock.advance(5 * LEASE);
    expect((await ann.call('update_task_status', { taskId: id, status: 'done' })).value.status).toBe('done');
  });

  it('sweeps lapsed claims back to todo with a comment, and leaves living ones', async () => {
    const { clock, sweep, ann, bob } = await open();
    const dead = await claimed(ann, 'ann');
    clock.advance(LEASE - 1);
    const alive = await claimed(bob, 'bob');
    clock.advance(1);
    expect(await sweep()).toBe(1);
    expect(await sweep()).toBe(0);
    const { task, comments } = (await bob.call('get_task', { taskId: dead })).value;
    expect(task).toMatchObject({ status: 'todo', assigneeAgentId: null, fence: null, leaseUntil: null });
    expect(comments).toEqual([
      expect.objectContaining({ authorType: 'system', body: expect.stringContaining('ann') }),
    ]);
    expect((await bob.call('get_task', { taskId: alive })).value.task.status).toBe('in_progress');
  });

  it('refuses a holder whose task was swept, by seat and by fence', async () => {
    const { clock, sweep, ann, bob } = await open();
    const id = await claimed(ann, 'ann');
    clock.advance(LEASE);
    await sweep();
    expect((await ann.call('update_task_status', { taskId: id, status: 'done' })).value).toMatchObject({
      code: 'stale_fence',
      status: 'todo',
    });
    expect((await bob.call('release_task', { taskId: id, fence: 1 })).value.code).toBe('stale_fence');
    expect((await claim(ann, id, 'ann')).value.fence).toBe(2);
  });

  it('does not sweep a holder whose sign of life is still in memory', async () => {
    const { clock, sweep, ann } = await open();
    await claimed(ann, 'ann');
    clock.advance(LEASE - 1);
    await ann.call('list_tasks');
    clock.advance(1);
    expect(await sweep()).toBe(0);
  });

  it('keeps the claim of a living holder when the clock is set an hour ahead, and that of a dead one no longer', async () => {
    const { clock, sweep, board, ann, bob } = await open();
    const id = await claimed(ann, 'ann');
    await ann.call('list_tasks');
    await board.flush();
    clock.step(60 * 60_000);
    expect((await claim(bob, id, 'bob')).lines[0]).toBe('claim failed: conflict');
    expect(await sweep()).toBe(0);
    clock.advance(LEASE);
    expect((await claim(bob, id, 'bob')).value).toMatchObject({ assigneeAgentId: 'bob', fence: 2 });
  });

  it('lets who gave its claim back go on managing the task like anybody', async () => {
    const { ann, bob } = await open();
    const id = await claimed(ann, 'ann');
    await ann.call('release_task', { taskId: id });
    await claim(bob, id, 'bob');
    expect((await ann.call('update_task_status', { taskId: id, status: 'cancelled' })).value.status).toBe(
      'cancelled',
    );
  });

  it('refuses a holder whose claim somebody else gave back', async () => {
    const { ann, bob, db, board } = await open();
    const id = await claimed(ann, 'ann');
    const person = callerOf({ who: localPrincipal(''), via: 'route' });
    await db.write(systemActor, (tx) => board.in(tx, person).release(id));
    expect((await ann.call('update_task_status', { taskId: id, status: 'done' })).value.code).toBe(
      'stale_fence',
    );
    await claim(bob, id, 'bob');
    expect((await ann.call('update_task_status', { taskId: id, status: 'done' })).value).toMatchObject({
      code: 'stale_fence',
      holder: { agentId: 'bob' },
    });
  });

  it('keeps a parked task with its holder until the lease is over, then anyone known may go on', async () => {
    const { clock, ann, connect } = await open();
    const id = await claimed(ann, 'ann');
    await ann.call('block_task', { taskId: id });
    const bob = await connect({ agent: 'bob' });
    expect((await bob.call('update_task_status', { taskId: id, status: 'in_progress' })).value.code).toBe(
      'not_holder',
    );
    clock.advance(LEASE);
    expect((await bob.call('update_task_status', { taskId: id, status: 'in_progress' })).value).toMatchObject(
      {
        assigneeAgentId: 'bob',
        fence: 2,
      },
    );
  });

  it('judges a lapsed review as any other, and whoever handed it in learns that it is over', async () => {
    const { clock, ann, connect } = await open();
    const id = await claimed(ann, 'ann');
    await ann.call('update_task_status', { taskId: id, status: 'in_review' });
    clock.advance(LEASE);
    const bob = await connect({ agent: 'bob' });
    expect((await bob.call('update_task_status', { taskId: id, status: 'done' })).value).toMatchObject({
      assigneeAgentId: 'ann',
      status: 'done',
    });
    expect((await ann.call('update_task_status', { taskId: id, status: 'cancelled' })).value.code).toBe(
      'conflict',
    );
  });

  it('never lets a claim lapse when leases are off', async () => {
    const { clock, sweep, ann, bob } = await open({ leaseMs: 0 });
    const id = await claimed(ann, 'ann');
    expect((await ann.call('get_task', { taskId: id })).value.task.leaseUntil).toBeNull();
    clock.advance(365 * 86_400_000);
    expect(await sweep()).toBe(0);
    expect((await claim(bob, id, 'bob')).isError).toBe(true);
  });

  it('survives a clock that jumps forth and back', async () => {
    const { clock, sweep, ann, bob } = await open({ longestMs: LEASE });
    clock.step(86_400_000);
    const id = await claimed(ann, 'ann');
    clock.step(-86_400_000);
    expect((await claim(bob, id, 'bob')).isError).toBe(true);
    await sweep();
    clock.advance(LEASE);
    expect((await claim(bob, id, 'bob')).value.fence).toBe(2);
    expect((await ann.call('release_task', { taskId: id })).value.code).toBe('stale_fence');
  });

  it('serves the oldest task in the end, however many more urgent ones keep coming', async () => {
    const { clock, ann } = await open();
    const { id: old } = (await ann.call('create_task', { title: 'old' })).value;
    let rounds = 0;
    for (let next = ''; next !== old; rounds += 1) {
      expect(rounds).toBeLessThan(60);
      await ann.call('create_task', { title: 'urgent', priority: 10 });
      next = (await ann.call('claim_next_task', { assigneeAgentId: 'ann' })).value.task.id;
      clock.advance(10 * 60_000);
    }
    expect(rounds).toBeGreaterThan(5);
  });
});

async function claimed(client: BoardClient, agent: string): Promise<string> {
  const { id } = (await client.call('create_task', { title: 'a' })).value;
  const answer = await claim(client, id, agent);
  expect(answer.isError, answer.lines.join('\n')).toBe(false);
  return id;
}

function claim(client: BoardClient, taskId: string, assigneeAgentId: string) {
  return client.call('claim_task', { taskId, assigneeAgentId });
}
