import { appendFileSync, existsSync, lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, inject, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

type Task = { id: string; title: string; status: string };
type Report = { added: number; known: number; problems: { line: number; problem: string }[] };

async function exported() {
  const terminal = openTerminal();
  const first = await terminal.json<Task>('board', 'add', 'first');
  const second = await terminal.json<Task>('board', 'add', 'second', '--after', first.id);
  await terminal.run('board', 'comment', first.id, 'a remark');
  await terminal.run('board', 'label', first.id, '--add', 'docs');
  await terminal.run('board', 'claim', first.id, '--as', 'ada');
  await terminal.run('board', 'done', first.id, '--as', 'ada');
  const file = join(freshFolder(), 'board.jsonl');
  await terminal.run('export', file, '--board');
  return { terminal, file, first, second };
}

const boardOf = async (terminal: ReturnType<typeof openTerminal>) =>
  (await terminal.json<{ tasks: Task[] }>('board', 'list', '--any')).tasks.map(({ id, title, status }) => ({
    id,
    title,
    status,
  }));

describe('export and import', () => {
  it('carry a board to another database, from SQLite to PostgreSQL', async () => {
    const { terminal, file, first } = await exported();
    const env = freshHome({
      HOLDFAST_DATABASE_URL: inject('postgresUrl'),
      HOLDFAST_DATABASE_SCHEMA: `test_import_${process.pid}`,
    });
    const other = openTerminal(undefined, env);
    expect(await other.json<Report>('import', file)).toMatchObject({ problems: [] });
    expect(await boardOf(other)).toEqual(await boardOf(terminal));
    expect((await other.run('board', 'show', first.id)).out).toContain('a remark');
    const labelled = await other.json<{ tasks: Task[] }>('board', 'list', '--any', '--label', 'docs');
    expect(labelled.tasks.map(({ id }) => id)).toEqual([first.id]);
  });

  it('can be repeated: the second time nothing is added', async () => {
    const { file } = await exported();
    const other = openTerminal();
    const once = await other.json<Report>('import', file);
    expect(once.added).toBeGreaterThan(0);
    expect(await other.json<Report>('import', file)).toEqual({ added: 0, known: once.added, problems: [] });
  });

  it('end a line where a line ends, with CRLF too, and not at a separator inside a text', async () => {
    const { file } = await exported();
    const written = readFileSync(file, 'utf8');
    writeFileSync(file, written.replace('a remark', 'a\u2028remark').replaceAll('\n', '\r\n'));
    const { added, problems } = await openTerminal().json<Report>('import', file);
    expect([added > 0, problems]).toEqual([true, []]);
  });

  it('name broken lines by their number, keep the rest and end with exit code 1', async () => {
    const { file } = await exported();
    const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
    lines.splice(1, 0, '{"type":"task"', '{"type":"nonsense"}');
    writeFileSync(file, lines.join('\n'));
    appendFileSync(file, '\nnot json\n');
    const other = openTerminal();
    const { code, out, err } = await other.run('import', file);
    expect(code).toBe(1);
    expect(out).toMatch(/^\d+ added, 0 already there, 3 broken\.$/);
    // On a slow machine it also says how far it is.
    const told = err.split('\n').filter((line) => !line.endsWith(' …'));
    expect(told.map((line) => line.split(':')[0])).toEqual(['line 2', 'line 3', `line ${lines.length + 1}`]);
    expect(await boardOf(other)).toHaveLength(2);
  });

  it('carry more than one page and one request, and report a line that is too long', async () => {
    const { file, second } = await exported();
    const template = readFileSync(file, 'utf8')
      .split('\n')
      .find((line) => line.includes(second.id))!;
    const many = Array.from({ length: 2300 }, (_, i) =>
      template.replaceAll(second.id, `${second.id.slice(0, -6)}${String(i).padStart(6, '0')}`),
    );
    writeFileSync(
      file,
      [
        ...many.slice(0, 1200),
        JSON.stringify({ type: 'task', title: 'x'.repeat(900_000) }),
        ...many.slice(1200),
      ].join('\n'),
    );
    const other = openTerminal();
    expect(await other.json<Report>('import', file)).toEqual({
      added: 2300,
      known: 0,
      problems: [{ line: 1201, problem: 'longer than 800000 bytes' }],
    });
    const again = join(freshFolder(), 'again.jsonl');
    expect(await other.json<{ records: number }>('export', again, '--board')).toMatchObject({
      records: 2301,
    });
  });

  it('work beside a live hub', async () => {
    const { file } = await exported();
    const other = openTerminal();
    await startHub(other.env);
    expect(await other.json<Report>('import', file)).toMatchObject({ problems: [] });
    expect(await boardOf(other)).toHaveLength(2);
  });

  it('do not replace a file without --force, nor read one that is not there', async () => {
    const { terminal, file } = await exported();
    expect((await terminal.run('export', file, '--board')).code).toBe(4);
    expect((await terminal.run('export', file, '--board', '--force')).code).toBe(0);
    expect((await terminal.run('export', join(freshFolder(), 'no', 'such', 'folder'))).code).toBe(6);
    expect((await terminal.run('import', '/no/such/file')).code).toBe(3);
    expect(existsSync(`${file}.partial`)).toBe(false);
  });

  it('follow no link that waits at the name of their draft', async () => {
    const { terminal } = await exported();
    const folder = freshFolder();
    writeFileSync(join(folder, 'precious'), 'precious');
    for (const command of ['export', 'backup']) {
      const file = join(folder, command);
      symlinkSync(join(folder, 'precious'), `${file}.partial`);
      expect((await terminal.run(command, file)).code).toBe(0);
      expect(lstatSync(file).isFile()).toBe(true);
      expect(lstatSync(file).mode & 0o777).toBe(0o600);
    }
    expect(readFileSync(join(folder, 'precious'), 'utf8')).toBe('precious');
  });

  it('print to the terminal with -', async () => {
    const { terminal } = await exported();
    const { out } = await terminal.run('export', '-', '--board');
    expect(out.split('\n').map((line) => (JSON.parse(line) as { type: string }).type)).toContain('task');
  });
});
