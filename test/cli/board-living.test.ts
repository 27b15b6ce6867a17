import { describe, expect, it } from 'vitest';
import { execFileSync } from 'node:child_process';
import { emptyPlace, freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { openTerminal, type Terminal } from '../fixtures/terminal.ts';

type Task = {
  id: string;
  title: string;
  status: string;
  priority: number;
  description: string | null;
  assigneeAgentId: string | null;
  branchRef: string | null;
};

async function withTasks(titles: readonly string[]) {
  const terminal = openTerminal();
  const ids: string[] = [];
  for (const title of titles) ids.push((await terminal.json<Task>('board', 'add', title)).id);
  return { ...terminal, ids, short: ids.map((id) => id.slice(-8)) };
}

const titlesOf = async ({ json }: Pick<Terminal, 'json'>, ...args: string[]) =>
  (await json<{ tasks: Task[] }>('board', 'list', ...args)).tasks.map(({ title }) => title);
const taskOf = async ({ json }: Pick<Terminal, 'json'>, id: string) =>
  (await json<{ task: Task }>('board', 'show', id)).task;

describe('a board one can live on', () => {
  it('says what is due when, and what is overdue', async () => {
    const board = openTerminal();
    await board.run('board', 'add', 'someday');
    expect((await board.run('board')).out).not.toContain('DUE');
    await board.run('board', 'add', 'keel', '--due', '2020-01-02');
    const { id } = await board.json<Task>('board', 'add', 'mast', '--due', '2999-12-31');
    expect(await titlesOf(board, '--sort', 'due')).toEqual(['keel', 'mast', 'someday']);
    expect(await titlesOf(board, '--overdue')).toEqual(['keel']);
    expect(await titlesOf(board, '--due-before', '3000-01-01')).toEqual(['keel', 'mast']);
    expect((await board.run('board')).out).toMatch(/PRI +DUE[^]*2020-01-02 +keel/);
    expect((await board.run('board', 'edit', id, '--due', '2020-02-30')).err).toContain('must be a day');
    await board.run('board', 'edit', id, '--due', '2020-03-01');
    expect((await board.run('board', 'show', id)).out).toMatch(/due +2020-03-01, overdue/);
    await board.run('board', 'cancel', '--where', 'overdue', '--yes');
    await board.run('board', 'edit', id, '--due', '');
    expect(await titlesOf(board)).toEqual(['someday']);
  });

  it('shows what is open; what is done only when asked for', async () => {
    const board = await withTasks(['keel', 'mast', 'sail']);
    await board.run('board', 'claim', board.ids[0]!, '--as', 'ada');
    await board.run('board', 'done', board.ids[0]!, '--as', 'ada');
    await board.run('board', 'cancel', board.short[1]!);
    expect(await titlesOf(board)).toEqual(['sail']);
    expect(await titlesOf(board, '--done')).toEqual(['mast', 'keel']);
    expect(await titlesOf(board, '--any')).toEqual(['sail', 'mast', 'keel']);
    expect(await titlesOf(board, '--status', 'done')).toEqual(['keel']);
    await board.run('board', 'cancel', board.short[2]!);
    expect((await board.run('board')).err).toBe('Nothing is open; 3 done or cancelled (--done shows them).');
    expect(await board.run('board', 'list', '--done', '--any')).toMatchObject({ code: 2 });
  });

  it('edits, moves, blocks with a reason, assigns and reopens', async () => {
    const board = await withTasks(['keel', 'mast']);
    const [keel, mast] = board.short as [string, string];
    await board.run(
      'board',
      'edit',
      keel,
      '--title',
      'Oak keel',
      '--priority',
      '7',
      '--description',
      'of oak',
      '--branch',
      'keel',
    );
    expect(await taskOf(board, keel)).toMatchObject({
      title: 'Oak keel',
      priority: 7,
      description: 'of oak',
      branchRef: 'keel',
    });
    await board.run('board', 'edit', keel, '--description', '', '--branch', '');
    expect(await taskOf(board, keel)).toMatchObject({ description: null, branchRef: null });
    expect(await board.run('board', 'edit', keel)).toMatchObject({
      code: 2,
      err: expect.stringContaining('nothing to change'),
    });
    expect((await board.run('board', 'block', keel, '--because', 'no oak')).out).toBe(
      `${keel} is blocked: Oak keel`,
    );
    expect((await board.run('board', 'show', keel)).out).toContain('Blocked: no oak');
    expect((await board.run('board', 'move', keel, '--to', 'backlog')).out).toBe(
      `${keel} is backlog: Oak keel`,
    );
    expect((await board.run('board', 'assign', mast, '--to', 'ada')).out).toBe(
      `${mast} is in_progress, ada: mast`,
    );
    await board.run('board', 'cancel', keel);
    expect((await board.run('board', 'reopen', keel)).out).toBe(`${keel} is todo: Oak keel`);
    expect(await board.run('board', 'reopen', keel)).toMatchObject({
      code: 4,
      err: expect.stringContaining('nothing to reopen'),
    });
  });

  it('keeps checks and evidence, and a pull request as evidence', async () => {
    const board = await withTasks(['keel']);
    const [keel] = board.short as [string];
    await board.run('board', 'claim', keel, '--as', 'ada');
    await board.run('board', 'check', keel, 'It floats');
    expect((await board.run('board', 'done', keel, '--as', 'ada')).code).toBe(4);
    const pull = 'https://example.test/pull/7';
    expect(
      await board.run('board', 'evidence', keel, 'It floats', 'seen', '--reference', pull, '--as', 'ada'),
    ).toMatchObject({
      code: 0,
      out: 'Evidence added: passed.',
    });
    expect((await board.run('board', 'done', keel, '--as', 'ada')).code).toBe(0);
  });

  it('shows where in git the evidence is to be seen, and takes nothing that does not look like it', async () => {
    const board = await withTasks(['keel']);
    const [keel] = board.short as [string];
    await board.run('board', 'check', keel, 'It floats');
    const give = (...more: string[]) => board.run('board', 'evidence', keel, 'It floats', 'seen', ...more);
    for (const wrong of [
      ['--commit', 'no-such-name'],
      ['--commit', '--all'],
      ['--commit', 'abc'],
      ['--branch', '-rf'],
      ['--branch', 'a..b'],
      ['--branch', 'a b'],
      ['--branch', 'x.lock'],
      ['--pr', 'example.test/pull/7'],
      ['--pr', 'javascript:alert(1)//pull/7'],
      ['--pr', 'https://me:secret@example.test/pull/7'],
    ])
      expect((await give(...wrong)).code, wrong.join(' ')).toBe(2);
    const pull = 'https://example.test/me/boat/pull/7';
    expect((await give('--branch', 'keel/fix', '--commit', 'ABCDEF1', '--pr', pull)).code).toBe(0);
    expect((await board.run('board', 'show', keel)).out).toContain(
      `passed  seen (branch keel/fix, commit abcdef1, ${pull})`,
    );
  });

  it('takes HEAD for the commit that it is now', async () => {
    const folder = freshFolder();
    const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, encoding: 'utf8' }).trim();
    git('init', '--quiet');
    git('-c', 'user.name=a', '-c', 'user.email=a@b', 'commit', '--quiet', '--allow-empty', '-m', 'one');
    const board = openTerminal(undefined, freshHome(), folder);
    const { id } = await board.json<Task>('board', 'add', 'keel');
    await board.run('board', 'check', id, 'It floats');
    await board.run('board', 'evidence', id, 'It floats', 'seen', '--commit', 'HEAD');
    expect((await board.run('board', 'show', id)).out).toContain(`(commit ${git('rev-parse', 'HEAD')})`);
  });

  it('says what to do about a check that is not there, and about one that nothing proves', async () => {
    const board = await withTasks(['keel']);
    const [keel] = board.short as [string];
    const give = () => board.run('board', 'evidence', keel, 'It flies', 'seen');
    expect((await give()).err).toContain(`holdfast board check ${keel} <title>`);
    await board.run('board', 'check', keel, 'It floats');
    expect(await give()).toMatchObject({
      code: 3,
      err: expect.stringMatching(/has no check "It flies"\.\n.*It has:\n.*It floats/),
    });
    expect(await board.run('board', 'done', keel)).toMatchObject({
      code: 4,
      err: expect.stringMatching(/It floats\n.*--override <reason>/),
    });
  });

  it('--where without a word is no word for everything', async () => {
    const board = await withTasks(['keel']);
    expect(await board.run('board', 'drop', '--where', ' ', '--yes')).toMatchObject({
      code: 2,
      err: expect.stringContaining('--where says nothing.'),
    });
    expect(await titlesOf(board)).toEqual(['keel']);
  });

  it('draws titles below each other, whatever their status', async () => {
    const board = await withTasks(['keel', 'mast']);
    const [keel, mast] = board.short as [string, string];
    await board.run('board', 'block', mast);
    expect((await board.run('board', 'list', '--tree')).out).toBe(
      `${keel}  todo     keel\n${mast}  blocked  mast`,
    );
  });

  it('links and unlinks, and draws both', async () => {
    const board = await withTasks(['keel', 'mast']);
    const [keel, mast] = board.short as [string, string];
    await board.run('board', 'add', 'step', '--parent', mast);
    await board.run('board', 'link', mast, keel);
    expect((await board.run('board', 'list', '--graph')).out).toContain(
      `${mast}  todo  mast\n  ← waits for ${keel}  todo  keel`,
    );
    expect((await board.run('board', 'list', '--tree')).out).toMatch(
      new RegExp(`${mast}  todo  mast\\n└─ [0-9a-f]{8}  todo  step`),
    );
    expect((await board.run('board', 'unlink', mast, keel)).out).toBe('Unlinked.');
    expect((await board.run('board', 'list', '--graph')).out).not.toContain('waits for');
  });

  it('labels, searches and changes many at once', async () => {
    const board = await withTasks(['oak keel', 'oak mast', 'linen sail 100%']);
    const [keel, mast] = board.short as [string, string];
    expect((await board.run('board', 'label', keel, mast, '--add', 'wood', 'hull')).out.split('\n')).toEqual([
      `${keel} has hull, wood`,
      `${mast} has hull, wood`,
    ]);
    await board.run('board', 'label', mast, '--remove', 'hull');
    expect((await board.run('board', 'label')).out).toBe('LABEL  TASKS\nhull   1\nwood   2');
    expect((await board.run('board', 'show', mast)).out).toContain('  labels    wood');
    expect(await titlesOf(board, '--label', 'wood')).toEqual(['oak keel', 'oak mast']);
    expect(await titlesOf(board, '--search', 'MAST oak')).toEqual(['oak mast']);
    expect(await titlesOf(board, '--search', '0%')).toEqual(['linen sail 100%']);
    expect(await titlesOf(board, '--search', '_')).toEqual([]);
    expect((await board.run('board', 'label', keel, '--add', 'two words')).code).toBe(2);
    expect((await board.run('board', 'edit', '--where', 'label=wood', '--priority', '3', '--yes')).code).toBe(
      0,
    );
    expect((await taskOf(board, keel)).priority).toBe(3);
    expect((await board.run('board', 'cancel', '--where', 'label=wood')).err).toContain(
      'Nothing was changed.',
    );
    expect(await board.run('board', 'cancel', '--where', 'colour=red')).toMatchObject({ code: 2, out: '' });
    expect((await board.run('board', 'cancel', '--where', 'search=none')).code).toBe(3);
    expect((await board.run('board', 'cancel')).err).toContain('Name tasks, or say --where.');
  });

  it('archives what is finished, and nothing else', async () => {
    const board = await withTasks(['keel', 'mast']);
    const [keel, mast] = board.short as [string, string];
    await board.run('board', 'cancel', keel);
    const both = await board.run('board', 'archive', keel, mast);
    expect(both).toMatchObject({
      code: 4,
      out: `${keel} is archived`,
      err: expect.stringContaining('only what is done or cancelled'),
    });
    expect(await titlesOf(board, '--any')).toEqual(['mast']);
    expect(await titlesOf(board, '--archived')).toEqual(['keel']);
    expect((await board.run('board', 'show', keel)).code).toBe(0);
    await board.run('board', 'archive', keel, '--undo');
    expect(await titlesOf(board, '--done')).toEqual(['keel']);
  });

  it('watches with titles', async () => {
    const terminal = openTerminal();
    await startHub(terminal.env);
    const watching = terminal.start('board', 'list', '--watch');
    await expect
      .poll(async () => (await terminal.json<{ tasks: Task[] }>('board', 'list')).tasks.length)
      .toBe(0);
    await terminal.run('board', 'add', 'seen');
    await expect
      .poll(async () => {
        await terminal.run('board', 'add', 'once more');
        return watching.lines.join('\n');
      })
      .toContain('"once more" by you');
    expect(await watching.interrupt()).toMatchObject({ code: 0 });
  });
});

describe('holdfast undo', () => {
  it('takes back edits, moves, drops, labels and links, newest first, and then says that there is nothing', async () => {
    const board = await withTasks(['keel', 'mast']);
    const [keel, mast] = board.short as [string, string];
    await board.run('board', 'edit', keel, '--title', 'hull', '--priority', '4');
    await board.run('board', 'label', keel, '--add', 'wood');
    await board.run('board', 'link', mast, keel);
    await board.run('board', 'cancel', keel);
    await board.run('board', 'drop', mast);
    expect(await titlesOf(board, '--any')).toEqual(['hull']);
    expect((await board.run('undo')).out).toMatch(new RegExp(`^${mast} is as before .*, todo again: mast$`));
    expect((await board.run('undo')).out).toContain(`todo again: hull`);
    expect((await board.run('board', 'list', '--graph')).out).toContain('waits for');
    await board.run('undo');
    expect((await board.run('board', 'list', '--graph')).out).not.toContain('waits for');
    await board.run('undo');
    expect(await titlesOf(board, '--label', 'wood')).toEqual([]);
    await board.run('undo');
    expect(await taskOf(board, keel)).toMatchObject({ title: 'keel', priority: 0, status: 'todo' });
    expect((await board.run('undo')).out).toContain('off the board again: mast');
    expect((await board.run('undo')).out).toContain('off the board again: keel');
    expect(await board.run('undo')).toMatchObject({
      code: 3,
      err: expect.stringContaining('no change of yours'),
    });
  });

  it('does not undo over the head of somebody who came after', async () => {
    const board = await withTasks(['keel']);
    const [keel] = board.short as [string];
    await board.run('board', 'edit', keel, '--title', 'hull');
    await board.run('board', 'claim', keel, '--as', 'ada');
    expect(await board.run('undo')).toMatchObject({
      code: 4,
      err: expect.stringContaining('ada has claimed it since'),
    });
    expect(await taskOf(board, keel)).toMatchObject({ title: 'hull', assigneeAgentId: 'ada' });
  });

  it('says what it cannot bring back: a claim that ended, a comment that was made', async () => {
    const board = await withTasks(['keel']);
    const [keel] = board.short as [string];
    await board.run('board', 'claim', keel, '--as', 'ada');
    await board.run('board', 'cancel', keel);
    const undone = await board.run('undo');
    expect([undone.out, undone.err]).toEqual([
      expect.stringContaining('todo again'),
      expect.stringContaining('claimed anew'),
    ]);
    expect((await board.run('board', 'claim', keel, '--as', 'bob')).code).toBe(0);
    await board.run('board', 'comment', keel, 'a word');
    expect(await board.run('undo')).toMatchObject({
      code: 4,
      err: expect.stringContaining('a comment cannot be taken back'),
    });
  });

  it('goes on with the change before one that cannot be taken back', async () => {
    const board = await withTasks(['keel', 'mast']);
    const [keel, mast] = board.short as [string, string];
    await board.run('board', 'edit', mast, '--title', 'yard');
    await board.run('board', 'check', mast, 'it stands');
    await board.run('board', 'edit', keel, '--title', 'hull');
    await board.run('board', 'claim', keel, '--as', 'ada');
    expect((await board.run('undo')).err).toContain('ada has claimed it since');
    expect((await board.run('undo')).err).toContain('an acceptance check cannot be taken back');
    expect((await board.run('undo')).out).toContain('todo again: mast');
  });

  it('works the same on PostgreSQL, and so do labels, the archive, search and stats', async () => {
    const { location, schema } = await emptyPlace('postgres');
    const board = openTerminal(
      undefined,
      freshHome({ HOLDFAST_DATABASE_URL: location, HOLDFAST_DATABASE_SCHEMA: schema! }),
    );
    const { id } = await board.json<Task>('board', 'add', 'Oak Keel 100%');
    await board.run('board', 'label', id, '--add', 'wood');
    await board.run('board', 'edit', id, '--priority', '4');
    expect(await titlesOf(board, '--label', 'wood', '--search', 'keel 0%')).toEqual(['Oak Keel 100%']);
    await board.run('board', 'cancel', id);
    await board.run('board', 'archive', id);
    expect(await titlesOf(board, '--archived')).toEqual(['Oak Keel 100%']);
    expect(await board.json<object>('stats')).toMatchObject({ done: 0, cancelled: 1 });
    for (let i = 0; i < 4; i += 1) expect((await board.run('undo')).code).toBe(0);
    expect(await taskOf(board, id)).toMatchObject({ status: 'todo', priority: 0 });
    expect(await titlesOf(board, '--label', 'wood')).toEqual([]);
  });

  it('an assignment that is taken back frees the task', async () => {
    const board = await withTasks(['keel']);
    const [keel] = board.short as [string];
    await board.run('board', 'assign', keel, '--to', 'ada');
    expect((await board.run('undo')).code).toBe(0);
    expect(await taskOf(board, keel)).toMatchObject({ status: 'todo', assigneeAgentId: null });
    expect((await board.run('board', 'claim', keel, '--as', 'bob')).code).toBe(0);
  });
});
