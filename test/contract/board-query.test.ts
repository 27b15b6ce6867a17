import { expect, it } from 'vitest';
import { createPeople } from '../../src/features/board/people/people.ts';
import { changeTask } from '../../src/features/board/rows/tasks.ts';
import { operatorPrincipal } from '../../src/kernel/principal.ts';
import { callerOf, createActing } from '../../src/store/calls.ts';
import { directHost, freshBoard, handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';

const DAY = 86_400_000;
const caller = callerOf({ who: operatorPrincipal, via: 'route' });

eachEngine('the query language on the board', (engine) => {
  async function open() {
    const clock = handClock(new Date(2026, 10, 16, 12).getTime());
    const db = await freshDatabase(engine, { clock });
    const board = freshBoard(db);
    const people = createPeople(board, createActing(db));
    const client = await directHost(db, board).connect({ profile: 'extended' });
    const make = async (title: string, more: object = {}): Promise<string> => {
      clock.advance(1_000);
      return (await client.call('create_task', { title, ...more })).value.id;
    };
    const change = (work: (desk: ReturnType<typeof people.in>) => Promise<unknown>) =>
      db.write({ id: 'operator', asserted: false }, (tx) => work(people.in(tx, caller)));
    const label = (taskId: string, ...add: string[]) => change((desk) => desk.relabel({ taskId, add }));
    const titles = (q: string, more: object = {}) =>
      db.read(async (query) =>
        (await board.at(query, caller).list({ q, ...more })).tasks.map(({ title }) => title),
      );
    const hits = (q: string, more: object = {}) =>
      db.read((query) => people.at(query, caller).search({ q, ...more }));
    return { clock, db, board, client, make, change, label, titles, hits };
  }

  it('narrows a list by every field, denied too', async () => {
    const { clock, client, make, label, titles } = await open();
    const keel = await make('keel', {
      priority: 5,
      teamId: 'yard',
      due: '2026-11-20',
      description: 'of oak',
    });
    const mast = await make('mast', { priority: 3, teamId: 'dock', dependsOn: [keel] });
    const sail = await make('sail', { priority: 1 });
    await label(keel, 'wood', 'area:hull');
    await label(mast, 'wood');
    await client.call('claim_task', { taskId: keel, assigneeAgentId: 'codex-1' });
    await client.call('add_comment', { taskId: sail, body: 'Ask the sailmaker.' });
    const cases: readonly (readonly [string, readonly string[]])[] = [
      ['status:todo', ['mast', 'sail']],
      ['status:in_*,done', ['keel']],
      ['-status:todo', ['keel']],
      ['label:wood', ['keel', 'mast']],
      ['label=wood', ['keel', 'mast']],
      ['label:area:hull', ['keel']],
      ['label:none', ['sail']],
      ['-label:wood', ['sail']],
      ['label!=area:*', ['mast', 'sail']],
      ['agent:codex*', ['keel']],
      ['agent:none', ['mast', 'sail']],
      ['-agent:codex-1', ['mast', 'sail']],
      ['project:YARD', ['keel']],
      ['team:yard,dock', ['keel', 'mast']],
      ['project:none', ['sail']],
      ['priority>=3', ['keel', 'mast']],
      ['priority<3', ['sail']],
      ['-priority:5', ['mast', 'sail']],
      ['due<7d', ['keel']],
      ['due<2d', []],
      ['due:none', ['mast', 'sail']],
      ['-due<7d', ['mast', 'sail']],
      ['has:comment', ['sail']],
      ['-has:comment', ['keel', 'mast']],
      ['has:label,comment', ['keel', 'mast', 'sail']],
      ['has:description', ['keel']],
      ['has:dependency', ['mast']],
      ['ready', ['sail']],
      ['is:waiting', ['mast']],
      ['held', ['keel']],
      ['-held', ['mast', 'sail']],
      ['created<1h', ['keel', 'mast', 'sail']],
      ['created>1h', []],
      ['updated:today', ['keel', 'mast', 'sail']],
      ['finished:none', ['keel', 'mast', 'sail']],
      [`id:${keel.slice(-8)}`, ['keel']],
      ['title:ee', ['keel']],
      ['kind:comment', []],
      ['oak', ['keel']],
      ['OAK -wood', []],
      ['sailmaker', ['sail']],
      ['"ask the"', ['sail']],
      ['"the ask"', []],
      ['keel,', []],
      ['100% of_oak', []],
      [keel.slice(-8), ['keel']],
      ['search=oak label=wood', ['keel']],
    ];
    for (const [q, found] of cases) expect(await titles(q), q).toEqual(found);
    clock.advance(30 * DAY);
    expect(await titles('overdue')).toEqual(['keel']);
    expect(await titles('created>7d label:wood')).toEqual(['keel', 'mast']);
  });

  it('refuses what it does not know, with what was meant', async () => {
    const { titles } = await open();
    await expect(titles('stauts:todo')).rejects.toThrow(
      'There is no field "stauts". Did you mean status:todo?',
    );
    await expect(titles('foo:bar')).rejects.toThrow('There is no field "foo".');
    await expect(titles('has:commments')).rejects.toThrow('Did you mean has:comment?');
    await expect(titles('priority:high')).rejects.toThrow('priority is a number; got "high".');
    await expect(titles('x '.repeat(40))).rejects.toThrow('at most 32');
    expect(await titles('https://example.org/a?b=c')).toEqual([]);
    expect(await titles('"foo:bar"')).toEqual([]);
  });

  it('lists open work first, by priority and age, then what ended last; a task is a place to go on from', async () => {
    const { clock, board, client, db, make } = await open();
    const ids: Record<string, string> = {};
    for (const title of ['old', 'first', 'second', 'late', 'urgent'])
      ids[title] = await make(title, { priority: title === 'urgent' ? 9 : 0 });
    for (const title of ['late', 'first']) {
      clock.advance(1_000);
      await client.call('claim_task', { taskId: ids[title]!, assigneeAgentId: 'ada' });
      await client.call('update_task_status', { taskId: ids[title]!, status: 'done', agentId: 'ada' });
    }
    const order = ['urgent', 'old', 'second', 'first', 'late'];
    const list = async (args: object) => (await client.call('list_tasks', { ...args })).value;
    const named = (page: any) => page.tasks.map((task: any) => task.title);
    expect(named(await list({}))).toEqual(order);
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page = await list({ limit: 2, cursor });
      expect(page.total).toBe(5);
      paged.push(...named(page));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(paged).toEqual(order);
    for (const [i, title] of order.entries())
      expect(named(await db.read((q) => board.at(q, caller).list({ after: ids[title]! }))), title).toEqual(
        order.slice(i + 1),
      );
    expect(named(await list({ status: 'done' }))).toEqual(['first', 'late']);
    expect(named(await list({ sort: 'due' }))).toEqual(order);
  });

  it('answers fifty a page unless asked, and what each task waits for', async () => {
    const { client, make } = await open();
    const keel = await make('keel', { priority: 9 });
    const mast = await make('mast', { priority: 8, dependsOn: [keel] });
    for (let i = 0; i < 50; i += 1) await make(`plank ${i}`);
    const page = (await client.call('list_tasks')).value;
    expect(page).toMatchObject({ total: 52, nextCursor: expect.any(String) });
    expect(page.tasks).toHaveLength(50);
    expect(page.tasks[0]).not.toHaveProperty('waitsFor');
    expect(page.tasks[1]).toMatchObject({ id: mast, waitsFor: [keel] });
    expect((await client.call('list_tasks', { limit: 100 })).value.tasks).toHaveLength(52);
  });

  it('finds what people wrote, wherever it stands, titles first', async () => {
    const { clock, db, client, make, change, hits } = await open();
    const keel = await make('Lay the keel', { teamId: 'yard', description: 'Oak, seasoned for two years.' });
    const mast = await make('Step the mast', { teamId: 'dock' });
    await client.call('add_comment', { taskId: mast, body: 'The keel plan is in the loft.' });
    const check = (await client.call('add_check', { taskId: mast, title: 'stays are taut' })).value.id;
    await client.call('claim_task', { taskId: mast, assigneeAgentId: 'ada' });
    await client.call('submit_evidence', {
      taskId: mast,
      checkId: check,
      passed: true,
      agentId: 'ada',
      summary: 'measured with a gauge',
      reference: 'logs/gauge.txt',
    });
    const found = async (q: string, more: object = {}) =>
      (await hits(q, more)).map(({ kind, taskId }) => `${kind} ${taskId === keel ? 'keel' : 'mast'}`);
    expect(await found('keel')).toEqual(['task keel', 'comment mast']);
    expect(await found('seasoned oak')).toEqual(['task keel']);
    expect(await found('taut')).toEqual(['check mast']);
    expect(await found('gauge.txt')).toEqual(['evidence mast']);
    expect(await found('keel kind:comment')).toEqual(['comment mast']);
    expect(await found('keel -kind:comment')).toEqual(['task keel']);
    expect(await found('keel -loft')).toEqual(['task keel']);
    expect(await found('mast loft')).toEqual(['task mast']);
    expect(await found('keel', { teamId: 'dock' })).toEqual(['comment mast']);
    expect(await found('keel project:yard')).toEqual(['task keel']);
    expect(await found(mast.slice(-8))).toEqual(['task mast']);
    expect(await found(mast.slice(9, 18))).toEqual(['task mast']);
    await db.write({ id: 'operator', asserted: false }, (tx) =>
      changeTask(tx, keel, { externalId: 'bd-c3d4' }),
    );
    expect(await found('bd-c3d4')).toEqual(['task keel']);
    expect(await found('id:bd-c3d4')).toEqual(['task keel']);
    await db.write({ id: 'operator', asserted: false }, (tx) => changeTask(tx, keel, { externalId: '#123' }));
    expect(await found('#123')).toEqual(['task keel']);
    expect(await found('foo:bar')).toEqual([]);
    await expect(found('lable:x')).rejects.toThrow('Did you mean label:x?');
    await client.call('update_task_status', { taskId: keel, status: 'cancelled' });
    clock.advance(1_000);
    await change((desk) => desk.shelve({ taskId: keel, archived: true }));
    expect((await hits('keel'))[0]).toMatchObject({ kind: 'task', archived: true, status: 'cancelled' });
    expect(await found('keel', { limit: 1 })).toEqual(['task keel']);
  });
});
