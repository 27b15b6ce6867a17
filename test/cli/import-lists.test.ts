import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { openTerminal, type Terminal } from '../fixtures/terminal.ts';

type Task = {
  id: string;
  title: string;
  status: string;
  parentTaskId: string | null;
  priority: number;
  due: string | null;
  externalId: string | null;
  description: string | null;
};
type Report = {
  added: number;
  known: number;
  updated: number;
  tasks: number;
  notes: string[];
  problems: string[];
};
type Line = Task & { type: string; taskId: string; label: string; dependsOnTaskId: string };
type Shown = { task: Task; labels: string[]; after: string[] };

const TEAM = ['--team', 'tide'];

/** The whole board by one command. */
async function boardOf(terminal: Terminal) {
  const { out } = await terminal.run('export', '-');
  const lines = out.split('\n').map((line) => JSON.parse(line) as Line);
  const tasks = lines.filter(({ type }) => type === 'task');
  const of = ({ id }: Task, type: string) => lines.filter((line) => line.type === type && line.taskId === id);
  const titleOf = (id: string) => tasks.find((task) => task.id === id)!.title;
  const show = (title: string): Shown => {
    const task = tasks.find((each) => each.title === title)!;
    return {
      task,
      labels: of(task, 'label').map(({ label }) => label),
      after: of(task, 'link').map(({ dependsOnTaskId }) => titleOf(dependsOnTaskId)),
    };
  };
  return { tasks, show };
}
const statuses = (tasks: readonly Task[]) =>
  Object.fromEntries(tasks.map(({ title, status }) => [title, status]));

function shipyard() {
  const terminal = openTerminal();
  const folder = freshFolder();
  const write = (name: string, text: string | Uint8Array) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const take = (file: string, ...more: string[]) => terminal.json<Report>('import', file, ...TEAM, ...more);
  return { terminal, write, take };
}

const TODO = `# The boat

- [ ] Caulk the hull #wood due:2027-03-01
  Two coats.
  - [x] Buy pitch
  - [ ] Scrape
    * [ ] Port side
    - not a task, but worth knowing
- [-] Paint it gold
1. [ ] Rig ^rig-7

\`\`\`
- [ ] an example of a box
\`\`\`
`;

describe('a checklist', () => {
  it('becomes tasks, what stands deeper subtasks, with marks, days, tags and words below', async () => {
    const { terminal, write, take } = shipyard();
    const file = write('todo.md', TODO);
    expect(await take(file, '--dry-run')).toMatchObject({ tasks: 6, byStatus: { todo: 4 } });
    expect((await terminal.run('board', 'list')).out).toBe('');
    expect(await take(file)).toMatchObject({ tasks: 6, updated: 0, known: 0, problems: [] });
    const { tasks, show } = await boardOf(terminal);
    expect(statuses(tasks)).toEqual({
      'Caulk the hull #wood': 'todo',
      'Buy pitch': 'done',
      Scrape: 'todo',
      'Port side': 'todo',
      'Paint it gold': 'cancelled',
      Rig: 'todo',
    });
    const hull = show('Caulk the hull #wood');
    expect(hull).toMatchObject({
      task: { due: '2027-03-01', description: 'Two coats.', externalId: 'todo.md#caulk-the-hull-wood' },
      labels: ['wood'],
    });
    const scrape = show('Scrape');
    expect(scrape.task.parentTaskId).toBe(hull.task.id);
    const port = show('Port side');
    expect(port.task.parentTaskId).toBe(scrape.task.id);
    expect(scrape.task.description).toBe('- not a task, but worth knowing');
    expect(show('Rig').task.externalId).toBe('rig-7');
    expect((await terminal.run('board', 'show', show('Rig').task.id)).out).toMatch(/external\s+rig-7/);
  });

  it('read again changes what changed in it, and leaves what was changed here', async () => {
    const { terminal, write, take } = shipyard();
    await take(write('todo.md', TODO));
    const { task: hull } = (await boardOf(terminal)).show('Caulk the hull #wood');
    await terminal.run('board', 'edit', hull.id, '--priority', '7');
    await terminal.run('board', 'label', hull.id, '--remove', 'wood');
    expect(await take(write('todo.md', TODO))).toMatchObject({ added: 0, updated: 0 });
    const after = TODO.replace('Rig ^rig-7', 'Rig the mast ^rig-7')
      .replace('[ ] Scrape', '[x] Scrape')
      .replace('Two coats', 'Three coats');
    expect(await take(write('todo.md', after))).toMatchObject({ added: 0, updated: 3, problems: [] });
    const { tasks, show } = await boardOf(terminal);
    expect(tasks).toHaveLength(6);
    expect(statuses(tasks)).toMatchObject({ 'Rig the mast': 'todo', Scrape: 'done' });
    const { task, labels } = show('Caulk the hull #wood');
    expect(task).toMatchObject({ priority: 7, description: 'Three coats.' });
    expect(labels).toEqual([]);
    // Reopened in the file, it is to be done again.
    await take(write('todo.md', TODO));
    expect(statuses((await boardOf(terminal)).tasks)).toMatchObject({ Scrape: 'todo', Rig: 'todo' });
  });

  it('is taken back as one command, which is named and shown first, and comes again with the next', async () => {
    const { terminal, write, take } = shipyard();
    await terminal.run('board', 'add', 'mine', ...TEAM);
    const items = Array.from({ length: 24 }, (_, i) => `- [ ] plank ${i}`).join('\n');
    await take(write('todo.md', items));
    const longer = `${items.replace('[ ] plank 3\n', '[x] plank 3\n')}\n- [ ] keel\n`;
    await take(write('todo.md', longer));
    const listed = (await terminal.run('undo', '--list')).out.split('\n');
    expect(listed[1]).toMatch(/ import of todo\.md: 1 added, 1 renewed +tide +\w{8} .* and 1 more$/);
    expect(listed[2]).toMatch(/ import of todo\.md: 24 added +tide +\w{8} plank \d+ and 23 more$/);
    expect((await terminal.run('undo', '--json')).out).toContain('changed 2 tasks; say --yes');
    expect((await terminal.run('undo', '--yes')).code).toBe(0);
    // An end of input is no.
    const asked = await terminal.run('undo');
    expect(asked.out).toMatch(/^Take back your import of todo\.md \(24 added\) in tide, .*\? \[y\/N\]$/);
    expect(asked.err.split('\n').slice(19, 21)).toEqual([expect.stringContaining('plank'), '  … and 4 more']);
    expect(asked.err).toContain('Nothing was taken back.');
    expect((await boardOf(terminal)).tasks).toHaveLength(25);
    expect((await terminal.run('undo', '--yes')).out).toBe('24 changes are taken back.');
    expect((await boardOf(terminal)).tasks.map(({ title }) => title)).toEqual(['mine']);
    expect(await take(write('todo.md', longer))).toMatchObject({ problems: [] });
    const { tasks, show } = await boardOf(terminal);
    expect(tasks).toHaveLength(26);
    expect(show('plank 3').task.status).toBe('done');
  });

  it('tells the same words in one place apart, and the same list from two files', async () => {
    const { terminal, write, take } = shipyard();
    const twice = '- [ ] Test\n- [ ] Test\n- [x] Test\n';
    await take(write('todo.md', twice));
    await take(write('tasks.md', twice));
    expect((await boardOf(terminal)).tasks.map(({ status }) => status).sort()).toEqual([
      'done',
      'done',
      'todo',
      'todo',
      'todo',
      'todo',
    ]);
    expect(await take(write('todo.md', twice))).toMatchObject({ added: 0, updated: 0 });
  });

  it('may have tabs, carriage returns, a mark before it and any depth', async () => {
    const { terminal, write, take } = shipyard();
    const deep = Array.from({ length: 40 }, (_, i) => `${'\t'.repeat(i)}- [ ] level ${i}`).join('\r\n');
    const report = await take(write('todo.md', `\uFEFF${deep}\r\n`));
    expect(report.tasks).toBe(40);
    expect(report.notes.join(' ')).toContain('moved up');
    expect((await boardOf(terminal)).tasks).toHaveLength(40);
  });

  it('without a box, or not in UTF-8, is refused; notes stay notes', async () => {
    const { terminal, write } = shipyard();
    const none = await terminal.run('import', write('x.md', 'a thought'), '--from', 'checklist', ...TEAM);
    expect([none.code, none.err]).toEqual([2, expect.stringContaining('has no item with a box')]);
    const bytes = await terminal.run(
      'import',
      write('todo.txt', Buffer.from([0xff, 0xfe, 0x41])),
      '--from',
      'checklist',
    );
    expect(bytes.err).toContain('not UTF-8');
    const notes = await terminal.run(
      'import',
      write('notes.md', 'Pitch melts at 50 C.\n\nIt smells.\n\n- [ ] ask\n'),
    );
    expect(notes.out + notes.err).not.toContain('tasks');
    expect((await terminal.run('board', 'list')).out).toBe('');
  });
});

describe('a table', () => {
  const CSV = [
    'Key,Summary,Status,Priority,Labels,Parent,Due Date,Blocked by,Description',
    'SHIP-1,Build a boat,Open,High,"wood, sea",,2027-05-01,,"Two\nlines, and ""quotes"""',
    'SHIP-2,Cut the mast,In Progress,3,,SHIP-1,,,',
    'SHIP-3,Raise it,Open,,,SHIP-1,someday,SHIP-2,',
    ',,Open,,,,,,',
  ].join('\n');

  it('becomes tasks by the names of its columns, with their own ids', async () => {
    const { terminal, write, take } = shipyard();
    const first = await terminal.run('import', write('ship.csv', CSV), ...TEAM);
    expect(first.code).toBe(1);
    expect(first.err).toContain('row 5 has no title');
    const { show } = await boardOf(terminal);
    const boat = show('Build a boat');
    expect(boat).toMatchObject({
      task: {
        externalId: 'SHIP-1',
        priority: 20,
        due: '2027-05-01',
        description: 'Two\nlines, and "quotes"',
      },
      labels: ['sea', 'wood'],
    });
    expect(show('Raise it').after).toEqual(['Cut the mast']);
    const again = await take(
      write('ship.csv', CSV.replace('Cut the mast,In Progress', 'Cut the mast,Done').replace(/\n,,.*$/, '')),
    );
    expect(again).toMatchObject({ added: 0, updated: 1, problems: [] });
    expect(statuses((await boardOf(terminal)).tasks)).toMatchObject({
      'Cut the mast': 'done',
      'Raise it': 'todo',
    });
  });

  it('without a title column is refused with what is missing', async () => {
    const { terminal, write } = shipyard();
    const { code, err } = await terminal.run('import', write('x.csv', 'a,b\n1,2\n'), ...TEAM);
    expect(code).toBe(2);
    expect(err).toContain('no column for titles');
  });
});
