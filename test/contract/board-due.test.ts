import { expect, it } from 'vitest';
import { createTransfer } from '../../src/features/board/transfer/transfer.ts';
import { importBoard } from '../../src/features/board/transfer/import.ts';
import { noticeOf } from '../../src/features/notices/notice.ts';
import { systemActor, systemPrincipal } from '../../src/kernel/principal.ts';
import { eventsAbout } from '../../src/store/events.ts';
import { directHost, freshBoard, handClock } from '../fixtures/board-host.ts';
import { eachEngine, freshDatabase } from '../fixtures/databases.ts';

const DAY = 86_400_000;

eachEngine('the day a task is due', (engine) => {
  async function open() {
    const clock = handClock(new Date(2026, 10, 16, 12).getTime());
    const db = await freshDatabase(engine, { clock });
    const board = freshBoard(db);
    const client = await directHost(db, board).connect({ profile: 'extended' });
    const make = async (title: string, due?: string, more: object = {}): Promise<any> =>
      (await client.call('create_task', { title, ...(due !== undefined && { due }), ...more })).value;
    const titles = async (args: object): Promise<string[]> =>
      (await client.call('list_tasks', { ...args })).value.tasks.map((task: any) => task.title);
    return { clock, db, board, client, make, titles };
  }

  it('is stored and answered as it was given, in lists too, changed and taken away', async () => {
    const { client, make } = await open();
    const { id, due } = await make('keel', '2026-12-31');
    expect(due).toBe('2026-12-31');
    expect((await make('mast')).due).toBeNull();
    expect((await client.call('list_tasks')).value).toMatchObject({
      tasks: [
        { title: 'keel', due: '2026-12-31' },
        { title: 'mast', due: null },
      ],
    });
    const change = async (to: string | null): Promise<any> =>
      (await client.call('update_task', { taskId: id, due: to })).value;
    expect((await change('2028-02-29')).due).toBe('2028-02-29');
    expect((await client.call('update_task', { taskId: id, priority: 2 })).value.due).toBe('2028-02-29');
    expect((await change(null)).due).toBeNull();
  });

  it.each(['2026-02-29', '2026-13-01', '26-01-01', '2026-1-1', 'tomorrow', '', '2026-01-01T00:00:00Z'])(
    'is a day, which %j is not',
    async (due) => {
      const { client } = await open();
      const refused = await client.call('create_task', { title: 'x', due });
      expect(refused.isError).toBe(true);
      expect(refused.lines.join('\n')).toContain('must be a day such as 2026-12-31');
    },
  );

  it('narrows and sorts a list, page by page, what is due on no day last', async () => {
    const { client, make, titles } = await open();
    await make('never', undefined, { priority: 9 });
    await make('late', '2027-03-01', { priority: 5 });
    await make('soon, less urgent', '2026-11-20');
    await make('soon', '2026-11-20', { priority: 1 });
    await make('past', '2026-11-01');
    expect(await titles({})).toEqual(['never', 'late', 'soon', 'soon, less urgent', 'past']);
    const byDue = ['past', 'soon', 'soon, less urgent', 'late', 'never'];
    expect(await titles({ sort: 'due' })).toEqual(byDue);
    expect(await titles({ dueBefore: '2026-11-20' })).toEqual(['past']);
    expect(await titles({ dueBefore: '2027-01-01', sort: 'due' })).toEqual(byDue.slice(0, 3));
    expect(await titles({ ready: true, sort: 'due', dueBefore: '2027-01-01' })).toEqual(byDue.slice(0, 3));
    const paged: string[] = [];
    let cursor: string | undefined;
    do {
      const page: any = (await client.call('list_tasks', { sort: 'due', limit: 2, cursor })).value;
      paged.push(...page.tasks.map((task: any) => task.title));
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    expect(paged).toEqual(byDue);
  });

  it('is told once when it has passed, to whoever wants notices, and again when another one passes', async () => {
    const { clock, db, board, client, make } = await open();
    const { id } = await make('keel', '2026-11-16');
    const { id: done } = await make('mast', '2026-11-01');
    await client.call('claim_task', { taskId: done, assigneeAgentId: 'ada' });
    await client.call('update_task_status', { taskId: done, status: 'done' });
    const sweep = () => db.write(systemActor, (tx) => board.sweep(tx));
    const heard = async () =>
      (await db.read((q) => eventsAbout(q, id, { after: 0, limit: 100 }))).filter(
        ({ kind }) => kind === 'task.overdue',
      );
    await sweep();
    expect(await heard()).toEqual([]);
    clock.advance(DAY);
    await sweep();
    await sweep();
    const told = await heard();
    expect(told).toMatchObject([{ subject: id, data: { due: '2026-11-16' } }]);
    expect(noticeOf(told[0]!)).toMatchObject({
      kind: 'overdue',
      text: `Task ${id.slice(-8)} was due on 2026-11-16.`,
    });
    await client.call('update_task', { taskId: id, due: '2026-11-17' });
    await sweep();
    expect(await heard()).toHaveLength(1);
    clock.advance(DAY);
    await sweep();
    expect(await heard()).toHaveLength(2);
  });

  it('goes along with an export; archives from before have none; what is no day is a broken line', async () => {
    const from = await open();
    await from.make('keel', '2026-12-31');
    const { records } = await createTransfer(from.db).page(systemPrincipal);
    const lines = records.map((record) => JSON.stringify(record));
    const task = records.find(({ type }) => type === 'task') as any;
    const { due: _, ...before } = { ...task, id: '01890000-0000-7000-8000-000000000001', title: 'mast' };
    const broken = { ...task, id: '01890000-0000-7000-8000-000000000002', due: 'soon' };
    const to = await open();
    const report = await importBoard(to.db, systemActor, {
      lines: [...lines, JSON.stringify(before), JSON.stringify(broken)],
    });
    expect(report.problems).toHaveLength(1);
    expect(report.problems[0]!.problem).toContain('must be a day');
    expect((await to.client.call('list_tasks', { sort: 'due' })).value).toMatchObject({
      tasks: [
        { title: 'keel', due: '2026-12-31' },
        { title: 'mast', due: null },
      ],
    });
  });
});
