import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { strToU8, zipSync } from 'fflate';
import { describe, expect, inject, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome } from '../fixtures/hub-process.ts';
import { openTerminal, type Terminal } from '../fixtures/terminal.ts';

const fixture = (name: string) => new URL(`../fixtures/imports/${name}`, import.meta.url).pathname;

type Task = { id: string; title: string; status: string; parentTaskId: string | null; priority: number };
type Report = { added: number; known: number; tasks: number; notes: string[]; problems: string[] };

const TEAM = ['--team', 'tide'];
const list = async (terminal: Terminal): Promise<Task[]> =>
  (await terminal.json<{ tasks: Task[] }>('board', 'list', '--any', '--limit', '500', ...TEAM)).tasks;
const byTitle = (tasks: readonly Task[], title: string) => tasks.find((task) => task.title === title)!;
const statuses = (tasks: readonly Task[]) =>
  Object.fromEntries(tasks.map(({ title, status }) => [title, status]));

function written(name: string, content: string | Uint8Array): string {
  const file = join(freshFolder(), name);
  writeFileSync(file, content);
  return file;
}

/** HOLDFAST_IMPORT_ROWS=100000: as the page of promises asks it. */
const ROWS = Number(process.env['HOLDFAST_IMPORT_ROWS'] ?? 20_000);

describe('tasks of another tool', () => {
  it('come from beads with their tree, links, labels and comments', async () => {
    const terminal = openTerminal();
    const trial = await terminal.json<{ tasks: number; byStatus: object }>(
      'import',
      fixture('issues.jsonl'),
      '--dry-run',
      ...TEAM,
    );
    expect(trial).toMatchObject({ tasks: 4, byStatus: { todo: 2, done: 1, backlog: 1 } });
    expect(await list(terminal)).toEqual([]);
    const report = await terminal.json<Report>('import', fixture('issues.jsonl'), ...TEAM);
    expect(report).toMatchObject({ tasks: 4, known: 0, problems: [] });
    expect(report.notes).toEqual(['1 under way there became todo: nobody holds them here']);
    const tasks = await list(terminal);
    expect(statuses(tasks)).toEqual({
      'Gauges before 2019': 'todo',
      'Read the first layout': 'done',
      'Read the second layout': 'todo',
      'Chart of a week': 'backlog',
    });
    const epic = byTitle(tasks, 'Gauges before 2019');
    expect(byTitle(tasks, 'Read the first layout').parentTaskId).toBe(epic.id);
    expect(byTitle(tasks, 'Read the second layout')).toMatchObject({ parentTaskId: epic.id, priority: 20 });
    const { out } = await terminal.run('board', 'show', byTitle(tasks, 'Read the first layout').id);
    expect(out).toContain('The column moves with the sign.');
    const labelled = await terminal.json<{ tasks: Task[] }>(
      'board',
      'list',
      '--any',
      '--label',
      'old-files',
      ...TEAM,
    );
    expect(labelled.tasks.map(({ id }) => id)).toEqual([epic.id]);
  });

  it('come from taskmaster with subtasks and tags', async () => {
    const terminal = openTerminal();
    const report = await terminal.json<Report>('import', fixture('tasks.json'), ...TEAM);
    expect(report).toMatchObject({ tasks: 5, problems: [] });
    expect(report.notes).toContain('1 of the unknown status "someday" became backlog');
    const tasks = await list(terminal);
    const parent = byTitle(tasks, 'Read a gauge');
    expect(byTitle(tasks, 'Parse the line').parentTaskId).toBe(parent.id);
    const { dependencies } = await terminal.json<{ dependencies: Task[] }>(
      'board',
      'show',
      byTitle(tasks, 'Parse the line').id,
    );
    expect(dependencies.map(({ title }) => title)).toEqual(['Open the port']);
    expect(byTitle(tasks, 'Draw a chart').status).toBe('backlog');
  });

  it('come from GitHub with what was said, and from vibe-kanban with its columns', async () => {
    const terminal = openTerminal();
    expect(await terminal.json<Report>('import', fixture('github.json'), ...TEAM)).toMatchObject({
      tasks: 3,
      problems: [],
    });
    expect(await terminal.json<Report>('import', fixture('vibe-kanban.json'), ...TEAM)).toMatchObject({
      tasks: 3,
      problems: [],
    });
    const tasks = await list(terminal);
    expect(statuses(tasks)).toEqual({
      'Login redirects to http': 'todo',
      'Add a chart': 'cancelled',
      Export: 'done',
      'Sort the readings': 'todo',
      'Store the readings': 'done',
      'Show the readings': 'todo',
    });
    expect((await terminal.run('board', 'show', byTitle(tasks, 'Login redirects to http').id)).out).toContain(
      'Same here.',
    );
    expect(byTitle(tasks, 'Store the readings').parentTaskId).toBe(byTitle(tasks, 'Sort the readings').id);
  });

  it('come from the archive that vibe-kanban exports, and from its API in one line', async () => {
    const terminal = openTerminal();
    const zip = zipSync({
      'issues.csv': strToU8(
        'Issue ID,Title,Description,Status,Priority,Project,Assignee(s),Labels,Creator,Created,Updated,Start Date,Due Date,Completed,Parent Issue\n' +
          'TP-1,Sort the readings,"Oldest first, ""stable""\nplease",To do,High,Tide pool,,"data, fast",Ada,2026-01-01T00:00:00+00:00,2026-01-02T00:00:00+00:00,,,,\n' +
          'TP-2,Store the readings,,Done,,Tide pool,Ada,,Ada,2026-01-01T00:00:00+00:00,2026-01-02T00:00:00+00:00,,,2026-01-02T00:00:00+00:00,TP-1\n' +
          'TP-3,Show the readings,,Backlog,,Tide pool,,,Ada,2026-01-01T00:00:00+00:00,2026-01-02T00:00:00+00:00,,,,\n',
      ),
      'relationships.csv': strToU8(
        'Issue ID,Related Issue ID,Type,Created\nTP-1,TP-3,Blocking,2026-01-01T00:00:00+00:00\nTP-2,TP-3,Related,2026-01-01T00:00:00+00:00\n',
      ),
      'comments.csv': strToU8(
        'Issue ID,Author,Message,Created,Updated\nTP-1,Ada,Like this?,2026-01-01T00:00:00+00:00,2026-01-01T00:00:00+00:00\n',
      ),
      'pull_requests.csv': strToU8(
        'Issue ID(s),PR URL,PR Number,Status,Merged At,Target Branch\n"TP-1, TP-2",https://example.test/pull/7,7,Merged,,main\n',
      ),
      'attachments/TP-1/big.bin': new Uint8Array(1000),
    });
    const file = written('vibe-kanban-export-2026-01-03.zip', zip);
    expect(await terminal.json<Report>('import', file, ...TEAM)).toMatchObject({ tasks: 3, problems: [] });
    const tasks = await list(terminal);
    expect(statuses(tasks)).toEqual({
      'Sort the readings': 'todo',
      'Store the readings': 'done',
      'Show the readings': 'backlog',
    });
    const sort = byTitle(tasks, 'Sort the readings');
    expect([sort.priority, byTitle(tasks, 'Store the readings').parentTaskId]).toEqual([20, sort.id]);
    const { out } = await terminal.run('board', 'show', sort.id);
    for (const part of [
      'Oldest first, "stable"\n  please',
      'https://example.test/pull/7',
      'labels    Tide-pool, data, fast',
      'Like this?',
      'holds up:',
    ])
      expect(out).toContain(part);
    const answer = {
      success: true,
      data: [
        {
          id: 'a1',
          project_id: 'p1',
          title: 'Paint the hull',
          description: null,
          status: 'inreview',
          created_at: '2026-01-01T00:00:00Z',
          updated_at: '2026-01-01T00:00:00Z',
        },
      ],
    };
    const line = written('answer.json', JSON.stringify(answer));
    expect(await terminal.json<Report>('import', line, ...TEAM)).toMatchObject({ tasks: 1, problems: [] });
    expect((await terminal.run('import', written('x.zip', 'PK\u0003\u0004 not one'), ...TEAM)).err).toContain(
      'has no issues.csv',
    );
  });

  it('twice are there once, on PostgreSQL as well', async () => {
    const env = freshHome({
      HOLDFAST_DATABASE_URL: inject('postgresUrl'),
      HOLDFAST_DATABASE_SCHEMA: `test_foreign_${process.pid}`,
    });
    for (const terminal of [openTerminal(), openTerminal(undefined, env)]) {
      for (const name of ['issues.jsonl', 'tasks.json', 'github.json', 'vibe-kanban.json']) {
        const first = await terminal.json<Report>('import', fixture(name), ...TEAM);
        expect(first.added).toBeGreaterThan(0);
        expect(await terminal.json<Report>('import', fixture(name), ...TEAM)).toMatchObject({
          added: 0,
          known: first.added,
        });
      }
    }
  });

  it('in circles are opened where the circle closes', async () => {
    const line = (id: string, on: string, type: string) =>
      JSON.stringify({
        id,
        title: id,
        status: 'open',
        issue_type: 'task',
        dependencies: [{ issue_id: id, depends_on_id: on, type }],
      });
    const file = written(
      'issues.jsonl',
      [
        line('a', 'b', 'blocks'),
        line('b', 'c', 'blocks'),
        line('c', 'a', 'blocks'),
        line('p', 'q', 'parent-child'),
        line('q', 'p', 'parent-child'),
        line('s', 's', 'blocks'),
      ].join('\n'),
    );
    const terminal = openTerminal();
    const report = await terminal.json<Report>('import', file, '--from', 'beads', ...TEAM);
    expect(report).toMatchObject({ tasks: 6, problems: [] });
    expect(report.notes).toEqual([
      '1 in a circle of parents stand alone',
      '2 links that would close a circle',
    ]);
  });

  it('deeper than the board goes move up, and huge or odd texts are cut and said', async () => {
    const rows = Array.from({ length: 40 }, (_, i) =>
      JSON.stringify({
        id: `n${i}`,
        title: i === 0 ? 'x'.repeat(2_000) : `level ${i}`,
        description: i === 1 ? 'y'.repeat(300_000) : 'a \u0000 nul and half \ud800 of a pair',
        status: 'open',
        issue_type: 'task',
        labels: Array.from({ length: 30 }, (_, label) => `l ${label}`),
        ...(i > 0 && {
          dependencies: [{ issue_id: `n${i}`, depends_on_id: `n${i - 1}`, type: 'parent-child' }],
        }),
      }),
    );
    const terminal = openTerminal();
    const report = await terminal.json<Report>('import', written('issues.jsonl', rows.join('\n')), ...TEAM);
    expect(report).toMatchObject({ tasks: 40, problems: [] });
    expect(report.notes.join('\n')).toMatch(
      /32 below level 8 moved up to it[^]*1 titles that were cut[^]*1 descriptions that were cut[^]*440 labels/,
    );
    const tasks = await list(terminal);
    const cut = tasks.find(({ title }) => title.startsWith('xxx'))!;
    expect(cut.title).toHaveLength(500);
    const whole = await terminal.json<{ task: { description: string } }>('board', 'show', cut.id);
    expect(whole.task.description).toContain('x'.repeat(2_000));
  });

  it('that are no UTF-8 are named by their line, and the others are taken', async () => {
    const good = readFileSync(fixture('issues.jsonl'));
    const bad = Buffer.concat([
      Buffer.from('{"id":"z","title":"'),
      Buffer.from([0xc3, 0x28]),
      Buffer.from('"}\nnot json\n'),
    ]);
    const terminal = openTerminal();
    const { code, err } = await terminal.run(
      'import',
      written('issues.jsonl', Buffer.concat([good, bad])),
      ...TEAM,
    );
    expect(code).toBe(1);
    expect(err).toContain('line 6: not UTF-8');
    expect(err).toContain('line 7: not JSON');
    expect(await list(terminal)).toHaveLength(4);
    const whole = written(
      'github.json',
      Buffer.concat([Buffer.from('[{"number":1,"title":"'), Buffer.from([0xff]), Buffer.from('"}]')]),
    );
    expect(await terminal.run('import', whole)).toMatchObject({
      code: 2,
      err: expect.stringContaining('not UTF-8'),
    });
  });

  it('of a file nobody knows are asked about, and of one that is something else refused', async () => {
    const terminal = openTerminal();
    expect(await terminal.run('import', written('x.json', '{"hello":1}'))).toMatchObject({
      code: 2,
      err: expect.stringContaining('Say what it is with --from'),
    });
    expect(
      (await terminal.run('import', written('x.json', '{"hello":1}'), '--from', 'taskmaster')).code,
    ).toBe(2);
    expect((await terminal.run('import', fixture('github.json'), '--from', 'jira')).code).toBe(2);
  });

  it('are not read from a folder', async () => {
    expect(await openTerminal().run('import', freshFolder())).toMatchObject({
      code: 2,
      err: expect.stringContaining(' is a folder.'),
    });
  });

  it('hold many thousands of rows: with progress, each in its time', async () => {
    const rows = Array.from({ length: ROWS }, (_, i) =>
      JSON.stringify({
        id: `m-${i}`,
        title: `Reading ${i}`,
        status: i % 3 === 0 ? 'closed' : 'open',
        issue_type: 'task',
        created_at: '2026-01-01T00:00:00Z',
        updated_at: '2026-01-01T00:00:00Z',
      }),
    );
    const file = written('issues.jsonl', rows.join('\n'));
    const terminal = openTerminal();
    const started = performance.now();
    const { out, err, code } = await terminal.run('import', file, ...TEAM);
    const seconds = (performance.now() - started) / 1000;
    expect([code, out]).toEqual([0, `${ROWS} tasks: ${2 * ROWS} records added, 0 already there, 0 broken.`]);
    expect(err).toMatch(new RegExp(`^\\d+ of ${2 * ROWS} records …$`, 'm'));
    expect(seconds).toBeLessThan(40 + ROWS / 1_250);
  }, 240_000);
});

describe('notes', () => {
  it('of CLAUDE.md become facts that are found, and are known the second time', async () => {
    const terminal = openTerminal();
    const trial = await terminal.run('import', fixture('CLAUDE.md'), '--dry-run');
    expect(trial.out).toContain('Building');
    expect(
      (await terminal.json<{ saved: number }>('import', fixture('CLAUDE.md'))).saved,
    ).toBeGreaterThanOrEqual(2);
    expect(await terminal.json('import', fixture('CLAUDE.md'))).toMatchObject({ saved: 0 });
    expect((await terminal.run('memory', 'search', 'gauge tests port', '--all')).out).toContain('Testing');
  });
});
