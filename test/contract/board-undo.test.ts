import { expect, it } from 'vitest';
import { planImport } from '../../src/features/board/imports/plan.ts';
import type { ForeignTask } from '../../src/features/board/imports/foreign.ts';
import { handClock } from '../fixtures/board-host.ts';
import { eachEngine } from '../fixtures/databases.ts';
import { openTraveller, TEAM, type Traveller } from '../fixtures/travelling-board.ts';

const BARE: Omit<ForeignTask, 'key' | 'title'> = {
  description: undefined,
  status: 'todo',
  priority: 0,
  parent: undefined,
  dependsOn: [],
  labels: [],
  comments: [],
  createdAt: undefined,
  updatedAt: undefined,
  closedAt: undefined,
};
type Said = Partial<ForeignTask> & Readonly<{ key: string }>;

/** What another tool has, as an import of it brings it: the same ids every time. */
function recordsOf(...said: readonly Said[]) {
  const tasks = said.map((each) => ({ ...BARE, title: each.key, ...each }));
  return planImport({ tasks, problems: [] }, { format: 'checklist', team: TEAM, now: 1_000 }).records;
}
const idOf = (key: string) => {
  const [record] = recordsOf({ key });
  return (record as { id: string }).id;
};
const UPDATE = { update: true, from: 'todo.md' };
const titles = async (board: Traveller) => (await board.list()).map(({ title }) => title).sort();

eachEngine('what brings many tasks is taken back as one command', (engine) => {
  async function open() {
    const clock = handClock(new Date(2026, 10, 16, 12).getTime());
    const ada = await openTraveller(engine, clock, 'Ada');
    return { clock, ada, pass: () => clock.advance(1_000) };
  }

  it('an import: what it added goes, what it renewed is as before, and a second one brings all of it again', async () => {
    const { ada, pass } = await open();
    await ada.import(recordsOf({ key: 'keel', labels: ['oak'] }, { key: 'mast' }), UPDATE);
    pass();
    const again = recordsOf(
      {
        key: 'keel',
        title: 'long keel',
        labels: ['oak', 'wet'],
        dependsOn: ['mast'],
        comments: [{ author: 'Ben', body: 'is rotten', at: 2 }],
      },
      { key: 'mast' },
      { key: 'sail', labels: ['cloth'] },
      { key: 'reef', parent: 'sail' },
    );
    await ada.import(again, UPDATE);
    const [last, first] = await ada.undos();
    expect(last).toMatchObject({ source: 'todo.md', total: 3, added: 2 });
    expect(first).toMatchObject({ source: 'todo.md', total: 2, added: 2 });
    expect(await ada.show(idOf('keel'))).toMatchObject({ title: 'long keel', labels: ['oak', 'wet'] });
    pass();
    expect(await ada.undo()).toMatchObject({ total: 3, stayed: 0 });
    expect(await titles(ada)).toEqual(['keel', 'mast']);
    expect(await ada.show(idOf('keel'))).toMatchObject({ labels: ['oak'], after: [], said: [] });
    pass();
    expect(await ada.import(again, UPDATE)).toMatchObject({ problems: [] });
    expect(await titles(ada)).toEqual(['long keel', 'mast', 'reef', 'sail']);
    expect(await ada.show(idOf('keel'))).toMatchObject({
      labels: ['oak', 'wet'],
      after: [idOf('mast')],
      said: ['is rotten'],
    });
    expect(await ada.show(idOf('sail'))).toMatchObject({ labels: ['cloth'] });
    // And once more, over both of them.
    pass();
    await ada.undo();
    pass();
    await ada.undo();
    expect(await titles(ada)).toEqual([]);
    await expect(ada.undo()).rejects.toThrow('There is no change of yours to take back.');
  });

  it('an export that is read in again, whose tasks come back with the next', async () => {
    const { ada, pass } = await open();
    const lines = recordsOf({ key: 'keel' }, { key: 'mast' });
    await ada.import(lines);
    pass();
    await ada.undo();
    expect(await titles(ada)).toEqual([]);
    pass();
    expect(await ada.import(lines)).toMatchObject({ added: 2, known: 0 });
    expect(await titles(ada)).toEqual(['keel', 'mast']);
    // What a person takes off the board is not brought back by any import, as ever.
    await ada.drop(idOf('mast'));
    expect(await ada.import(lines)).toMatchObject({ added: 0, known: 2 });
    expect(await titles(ada)).toEqual(['keel']);
  });

  it('leaves what somebody has claimed or changed since, and says so', async () => {
    const { ada, pass } = await open();
    await ada.import(recordsOf({ key: 'keel' }, { key: 'mast' }, { key: 'sail' }), UPDATE);
    pass();
    await ada.desk((at) => at.claim({ taskId: idOf('keel'), agentId: 'codex' }), 'codex');
    await ada.desk((at) => at.update({ taskId: idOf('mast'), priority: 4 }));
    pass();
    const { total, refused, stayed } = await ada.undo();
    expect([total, stayed]).toEqual([1, 2]);
    expect(Object.fromEntries(refused.map(({ taskId, why }) => [taskId, why]))).toEqual({
      [idOf('keel')]: 'codex has claimed it since',
      [idOf('mast')]: 'the task has been changed by somebody since',
    });
    expect(await titles(ada)).toEqual(['keel', 'mast']);
  });

  it('thousands, over many requests and transactions, one of them with a broken line', async () => {
    const { ada, pass } = await open();
    await ada.add('mine');
    const many = recordsOf(...Array.from({ length: 1_500 }, (_, i) => ({ key: `t${i}` })));
    const part = { ...UPDATE, import: 'one' };
    await ada.import(many.slice(0, 700), { ...part, more: true });
    await ada.import([...many.slice(700), { type: 'nothing' }], { ...part, more: true });
    await ada.import([], part);
    const [command] = await ada.undos();
    expect([command!.total, command!.added, command!.changes.length]).toEqual([1_500, 1_500, 100]);
    pass();
    const { total, undone, stayed } = await ada.undo();
    expect([total, undone.length, stayed]).toEqual([1_500, 100, 0]);
    expect(await titles(ada)).toEqual(['mine']);
    expect(await ada.undos()).toEqual([]);
  });

  it('a sync: fields are an edit like others, and travel; what it brought stays in the file, and off this board', async () => {
    const { ada, clock, pass } = await open();
    const ben = await openTraveller(engine, clock, 'Ben');
    const { id: keel } = await ada.add('keel');
    const start = await ada.meet([]);
    await ben.meet(start.file, { trust: true });
    pass();
    await ben.edit(keel, { title: 'bent keel' });
    const { id: mast } = await ben.add('mast');
    await ben.link(keel, mast);
    const { file } = await ben.meet(start.file);
    pass();
    const from = '.holdfast/board.jsonl';
    expect((await ada.meet(file, { from })).report).toMatchObject({ created: 1, changed: 1 });
    expect((await ada.undos())[0]).toMatchObject({ source: from, total: 2, added: 1 });
    pass();
    expect(await ada.undo()).toMatchObject({ total: 2, stayed: 0 });
    expect(await ada.list()).toMatchObject([{ id: keel, title: 'keel' }]);
    expect(await ada.show(keel)).toMatchObject({ labels: [], after: [] });

    // The same file again takes nothing of it back, and is told what was said here.
    pass();
    const next = await ada.meet(file);
    expect(next.report).toMatchObject({ created: 0, changed: 0, dropped: 0, aside: 1 });
    expect(await ada.list()).toMatchObject([{ title: 'keel' }]);
    const lineOf = (lines: readonly string[], id: string) =>
      lines.find((each) => each.includes(`"id":"${id}"`));
    expect(lineOf(next.file, mast)).toBe(lineOf(file, mast));
    expect(await ada.meet(next.file)).toMatchObject({ report: { aside: 1, overruled: [] }, file: next.file });

    // Whoever wrote it has it still; the title is an edit like any other.
    await ben.meet(next.file);
    expect(await titles(ben)).toEqual(['keel', 'mast']);
    // What Ben says of it later is carried, and does not bring it back either.
    pass();
    await ben.edit(mast, { title: 'tall mast' });
    const later = await ben.meet(next.file);
    expect((await ada.meet(later.file)).file).toEqual(later.file);
    expect(await titles(ada)).toEqual(['keel']);
    // Until its person says so: then it is as new.
    expect((await ada.meet(later.file, { again: true })).report).toMatchObject({ changed: 1, aside: 0 });
    expect(await ada.show(mast)).toMatchObject({
      title: 'tall mast',
      status: 'backlog',
      labels: ['foreign'],
    });
    expect((await ada.meet(later.file)).report).toMatchObject({ changed: 0, aside: 0 });
  });

  it('a sync that dropped a task: the undo brings it back for everybody', async () => {
    const { ada, clock, pass } = await open();
    const ben = await openTraveller(engine, clock, 'Ben');
    const { id: keel } = await ada.add('keel');
    const start = await ada.meet([]);
    await ben.meet(start.file, { trust: true });
    pass();
    await ben.drop(keel);
    const { file } = await ben.meet(start.file);
    await ada.meet(file);
    expect(await titles(ada)).toEqual([]);
    pass();
    await ada.undo();
    expect(await titles(ada)).toEqual(['keel']);
    const back = await ada.meet(file);
    expect(await titles(ada)).toEqual(['keel']);
    await ben.meet(back.file);
    expect(await titles(ben)).toEqual(['keel']);
  });

  it('remembers nothing of a trial, of a sync that changed nothing, and of what is no person’s', async () => {
    const { ada } = await open();
    await ada.add('keel');
    const { file } = await ada.meet([]);
    const ben = await openTraveller(engine, handClock(), 'Ben');
    await ben.meet(file, { dryRun: true });
    expect(await ben.undos()).toEqual([]);
    await ben.meet(file);
    await ben.meet(file);
    expect(await ben.undos()).toHaveLength(1);
  });
});
