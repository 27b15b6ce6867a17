import { describe, expect, it } from 'vitest';
import { createPeople } from '../../src/features/board/people/people.ts';
import { remembering } from '../../src/features/board/people/remember.ts';
import { callerOf, createActing, type Caller } from '../../src/store/calls.ts';
import { eventsAbout } from '../../src/store/events.ts';
import { localPrincipal, systemActor } from '../../src/kernel/principal.ts';
import { freshBoard, handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshPlace } from '../fixtures/databases.ts';

/** Several connections to one database, as several hubs or stdio processes would have. */
eachEngine('the board under several connections', (engine) => {
  async function open(count = 2, options: object = {}) {
    const clock = handClock();
    const place = await freshPlace(engine);
    const hubs = [];
    for (let i = 0; i < count; i += 1) {
      const db = await place.open({ clock });
      const board = freshBoard(db, options);
      const agent = `agent-${i}`;
      const caller = callerOf({ who: localPrincipal(`seat-${i}`), via: 'tool', agentId: agent });
      const write = <T>(
        unit: (tx: Parameters<Parameters<typeof db.write<T>>[1]>[0], caller: Caller) => Promise<T>,
      ) => db.write(systemActor, (tx) => unit(tx, caller));
      hubs.push({ db, board, agent, caller, write });
    }
    return { clock, hubs, first: hubs[0]! };
  }

  const eventsOf = ({ db }: Pick<Awaited<ReturnType<typeof open>>['first'], 'db'>, taskId: string) =>
    db.read((q) => eventsAbout(q, taskId, { after: 0, limit: 100 }));

  const outcome = async <T>(work: Promise<T>) =>
    work.then(
      (value) => ({ value, error: undefined }),
      (error: Error) => ({ value: undefined, error }),
    );

  // One hub owns a file; on PostgreSQL there may be many, each with a lease of its own.
  if (engine === 'postgres')
    it('a hub with a shorter lease leaves those of the others alone', async () => {
      const { clock, first } = await open(1, { leaseMs: 60_000 });
      const short = freshBoard(first.db, { leaseMs: 1_000 });
      const task = await first.write((tx, caller) => first.board.in(tx, caller).create({ title: 'a' }));
      await first.write((tx, caller) =>
        first.board.in(tx, caller).claim({ taskId: task.id, agentId: first.agent }),
      );
      await first.db.write(systemActor, (tx) => short.sweep(tx));
      clock.advance(30_000);
      const rival = callerOf({ who: localPrincipal('rival'), via: 'tool', agentId: 'rival' });
      const taken = first.db.write(systemActor, (tx) =>
        short.in(tx, rival).claim({ taskId: task.id, agentId: 'rival' }),
      );
      await expect(taken).rejects.toThrow('conflict');
    });

  it('gives each task to exactly one of all claimants', async () => {
    const { hubs, first } = await open(4);
    for (let round = 0; round < 10; round += 1) {
      const task = await first.write((tx, caller) => first.board.in(tx, caller).create({ title: 'a' }));
      const tried = await Promise.all(
        hubs.map(({ write, board, agent }) =>
          outcome(write((tx, caller) => board.in(tx, caller).claim({ taskId: task.id, agentId: agent }))),
        ),
      );
      expect(tried.filter(({ value }) => value)).toHaveLength(1);
      for (const { error } of tried.filter(({ value }) => !value))
        expect(error?.message).toBe('claim failed: conflict');
    }
  });

  it('hands out every task once when all ask for the next one', async () => {
    const { hubs, first } = await open(4);
    for (let i = 0; i < 40; i += 1)
      await first.write((tx, caller) => first.board.in(tx, caller).create({ title: `t${i}` }));
    const work = async ({ write, board, agent }: (typeof hubs)[number]) => {
      const got: string[] = [];
      for (;;) {
        const task = await write((tx, caller) => board.in(tx, caller).claimNext({ agentId: agent }));
        if (!task) return got;
        got.push(task.id);
      }
    };
    const all = (await Promise.all(hubs.map(work))).flat();
    expect(all).toHaveLength(40);
    expect(new Set(all).size).toBe(40);
  });

  it('lets one of several take over a lapsed claim', async () => {
    const { clock, hubs, first } = await open(4, { leaseMs: 1_000 });
    const task = await first.write((tx, caller) =>
      first.board.in(tx, caller).create({ title: 'a', status: 'in_progress' }),
    );
    clock.advance(1_000);
    const tried = await Promise.all(
      hubs.map(({ write, board, agent }) =>
        outcome(write((tx, caller) => board.in(tx, caller).claim({ taskId: task.id, agentId: agent }))),
      ),
    );
    expect(tried.filter(({ value }) => value?.fence === 2)).toHaveLength(1);
    expect(tried.filter(({ error }) => error)).toHaveLength(3);
  });

  it('is never refused what was given back, reopened or made ready while it was asked for', async () => {
    const { hubs, first } = await open(2);
    const [giver, taker] = hubs as [typeof first, typeof first];
    const people = createPeople(giver.board, createActing(giver.db));
    const person = callerOf({ who: localPrincipal(''), via: 'route' });
    for (let round = 0; round < 24; round += 1) {
      const make = (status: 'todo' | 'in_progress') =>
        giver.write((tx, caller) => giver.board.in(tx, caller).create({ title: 'a', status }));
      const task = await make(round % 3 === 1 ? 'todo' : 'in_progress');
      let free = () => giver.write((tx, caller) => giver.board.in(tx, caller).release(task.id));
      if (round % 3 === 1) {
        const awaited = await make('in_progress');
        await giver.write((tx, caller) =>
          giver.board.in(tx, caller).link({ taskId: task.id, dependsOnTaskId: awaited.id }),
        );
        free = () =>
          giver.write((tx, caller) => giver.board.in(tx, caller).move({ taskId: awaited.id, to: 'done' }));
      }
      if (round % 3 === 2) {
        await giver.write((tx, caller) => giver.board.in(tx, caller).move({ taskId: task.id, to: 'done' }));
        free = () => giver.write((tx) => people.in(tx, person).reopen(task.id));
      }
      const request = { taskId: task.id, agentId: taker.agent };
      const how = round % 2 === 0 ? 'claim' : 'assign';
      const [, asked] = await Promise.all([
        free(),
        outcome(
          taker.db.write(systemActor, (tx) =>
            taker.board.in(tx, round % 2 === 0 ? taker.caller : person)[how](request),
          ),
        ),
      ]);
      const { details } = (asked.error ?? {}) as { details?: { status?: string; waitsFor?: unknown[] } };
      if (details?.waitsFor) expect(details.waitsFor).not.toEqual([]);
      else expect(details?.status).not.toBe('todo');
    }
  });

  it('never stores a cycle, whatever links are made at the same moment', async () => {
    const { hubs, first } = await open(3);
    for (let round = 0; round < 8; round += 1) {
      const ids: string[] = [];
      for (let i = 0; i < 3; i += 1)
        ids.push((await first.write((tx, caller) => first.board.in(tx, caller).create({ title: 'x' }))).id);
      const tried = await Promise.all(
        hubs.map(({ write, board }, i) =>
          outcome(
            write((tx, caller) =>
              board.in(tx, caller).link({ taskId: ids[i]!, dependsOnTaskId: ids[(i + 1) % 3]! }),
            ),
          ),
        ),
      );
      expect(tried.filter(({ error }) => error?.message.includes('cycle'))).toHaveLength(1);
    }
  });

  it('takes nothing back that somebody changed while it was taken back', async () => {
    const { clock, hubs } = await open(2);
    const [own, other] = hubs as [(typeof hubs)[number], (typeof hubs)[number]];
    const who = localPrincipal('');
    const person = callerOf({ who, via: 'route' });
    const people = createPeople(own.board, createActing(own.db));
    for (let round = 0; round < 12; round += 1) {
      const { id: taskId } = await other.write((tx, caller) =>
        other.board.in(tx, caller).create({ title: 'a' }),
      );
      const args = { taskId, title: 'b' };
      await own.db.write(systemActor, (tx) =>
        remembering({ tx, caller: person, name: 'update_task', args }, () =>
          own.board.in(tx, person).update(args),
        ),
      );
      clock.advance(1);
      await Promise.all([
        outcome(people.undo({ who, via: 'route', name: 'undo' })),
        other.write((tx, caller) => other.board.in(tx, caller).update({ taskId, priority: 5 })),
      ]);
      const { task } = await own.db.read((q) => own.board.at(q, person).get({ taskId }));
      expect(task.priority).toBe(5);
    }
  });

  it('moves a task from one status once', async () => {
    const { hubs, first } = await open(3);
    for (let round = 0; round < 8; round += 1) {
      const task = await first.write((tx, caller) =>
        first.board.in(tx, caller).create({ title: 'a', status: 'in_progress' }),
      );
      const nobody = callerOf({ who: localPrincipal(''), via: 'route' });
      const tried = await Promise.all(
        (['done', 'cancelled', 'todo'] as const).map((to, i) =>
          outcome(
            hubs[i]!.db.write(systemActor, (tx) =>
              hubs[i]!.board.in(tx, nobody).move({ taskId: task.id, to }),
            ),
          ),
        ),
      );
      const events = await eventsOf(first, task.id);
      const moves = events.filter((event) => event.kind === 'task.status_changed');
      for (const [i, event] of moves.entries())
        if (i > 0) expect(event.data?.['from']).toBe(moves[i - 1]!.data?.['to']);
      expect(tried.filter(({ value }) => value).length).toBe(moves.length);
    }
  });

  describe('limits', () => {
    it('hold for root tasks of one team and leave other teams alone', async () => {
      const { hubs, first } = await open(2, { limits: { rootTasksPerTeam: 10 } });
      const make = (i: number) =>
        hubs[i % 2]!.write((tx, caller) =>
          hubs[i % 2]!.board.in(tx, caller).create({ title: 'x', teamId: 'noisy' }),
        );
      const tried = await Promise.all(Array.from({ length: 25 }, (_, i) => outcome(make(i))));
      expect(tried.filter(({ value }) => value)).toHaveLength(10);
      for (const { error } of tried.filter(({ value }) => !value))
        expect(error).toMatchObject({
          code: 'limited',
          message: expect.stringContaining('rootTasksPerTeam is 10'),
        });
      expect(
        (
          await first.write((tx, caller) =>
            first.board.in(tx, caller).create({ title: 'x', teamId: 'quiet' }),
          )
        ).teamId,
      ).toBe('quiet');
    });

    it('open again with the next window', async () => {
      const { clock, first } = await open(1, { limits: { rootTasksPerTeam: 1, rootWindowMs: 1_000 } });
      const make = () =>
        outcome(first.write((tx, caller) => first.board.in(tx, caller).create({ title: 'x' })));
      expect((await make()).value).toBeDefined();
      expect((await make()).error).toMatchObject({ code: 'limited' });
      clock.advance(1_000);
      expect((await make()).value).toBeDefined();
    });

    it('hold for children, and a dropped child makes room', async () => {
      const { hubs, first } = await open(2, { limits: { childrenPerTask: 5 } });
      const parent = await first.write((tx, caller) => first.board.in(tx, caller).create({ title: 'p' }));
      const make = (i: number) =>
        outcome(
          hubs[i % 2]!.write((tx, caller) =>
            hubs[i % 2]!.board.in(tx, caller).create({ title: 'c', parentTaskId: parent.id }),
          ),
        );
      const tried = await Promise.all(Array.from({ length: 12 }, (_, i) => make(i)));
      const made = tried.filter(({ value }) => value);
      expect(made).toHaveLength(5);
      expect(tried.find(({ error }) => error)?.error).toMatchObject({
        code: 'limited',
        message: expect.stringContaining('childrenPerTask is 5'),
      });
      await first.write((tx, caller) => first.board.in(tx, caller).drop(made[0]!.value!.id));
      expect((await make(0)).value).toBeDefined();
    });

    it('hold for depth, and 0 turns them off', async () => {
      const { first } = await open(1, { limits: { depth: 3, rootTasksPerTeam: 0, childrenPerTask: 0 } });
      const under = (parentTaskId?: string) =>
        outcome(first.write((tx, caller) => first.board.in(tx, caller).create({ title: 'x', parentTaskId })));
      let id: string | undefined;
      for (let level = 1; level <= 3; level += 1) id = (await under(id)).value!.id;
      expect((await under(id)).error).toMatchObject({
        code: 'limited',
        message: expect.stringContaining('depth is 3'),
      });
      const free = freshBoard(first.db, { limits: { depth: 0, rootTasksPerTeam: 0, childrenPerTask: 0 } });
      expect(
        (await first.write((tx, caller) => free.in(tx, caller).create({ title: 'x', parentTaskId: id })))
          .parentTaskId,
      ).toBe(id);
    });
  });

  it('tells every change of a task in its history, in order and without text', async () => {
    const { first } = await open(1);
    const { write, board, db } = first;
    const task = await write((tx, caller) =>
      board.in(tx, caller).create({ title: 'secret plan', teamId: 't' }),
    );
    await write((tx, caller) => board.in(tx, caller).claim({ taskId: task.id, agentId: 'ann' }));
    await write((tx, caller) =>
      board
        .in(tx, { ...caller, agent: 'ann' })
        .comment({ taskId: task.id, body: 'private words', authorType: 'agent' }),
    );
    await db.write(systemActor, (tx) =>
      board.in(tx, callerOf({ who: localPrincipal(''), via: 'route' })).move({
        taskId: task.id,
        to: 'done',
      }),
    );
    const events = await eventsOf(first, task.id);
    expect(events.map((event) => event.kind)).toEqual([
      'task.created',
      'task.claimed',
      'task.commented',
      'task.status_changed',
    ]);
    expect(events.every((event) => event.team === 't' && event.subject === task.id)).toBe(true);
    expect(JSON.stringify(events)).not.toMatch(/secret plan|private words/);
  });
});
