import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import BetterSqlite3 from 'better-sqlite3';
import { describe, expect, it } from 'vitest';
import { writeHubFile } from '../../src/store/whole/file.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, startHub } from '../fixtures/hub-process.ts';
import { startStdio } from '../fixtures/stdio-client.ts';
import { openTerminal } from '../fixtures/terminal.ts';

type Backup = { file: string; counts: Record<string, number> };
const databaseOf = (env: NodeJS.ProcessEnv) => join(env['HOLDFAST_HOME']!, 'holdfast.db');

describe('backup', () => {
  it('is one checked file for the database and one for the vault, taken while a hub is writing', async () => {
    const terminal = openTerminal();
    const { address } = await startHub(terminal.env);
    const post = (title: string) =>
      fetch(`${address}/api/board/tasks`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ title }),
      });
    await Promise.all(Array.from({ length: 50 }, (_, i) => post(`before ${i}`)));
    const folder = freshFolder();
    const file = join(folder, 'board.backup');
    const [{ counts }] = await Promise.all([
      terminal.json<Backup>('backup', file),
      ...Array.from({ length: 50 }, (_, i) => post(`during ${i}`)),
    ]);
    expect(counts['tasks']).toBeGreaterThanOrEqual(50);
    expect(readdirSync(folder)).toEqual(['board.backup', 'board.backup.vault']);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('does not replace a file without --force', async () => {
    const terminal = openTerminal();
    await terminal.run('board', 'add', 'x');
    const file = join(freshFolder(), 'precious');
    writeFileSync(file, 'precious');
    expect((await terminal.run('backup', file)).code).toBe(4);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    expect((await terminal.run('backup', file, '--force')).code).toBe(0);
  });

  it('of the database onto itself is refused, also through a link', async () => {
    const terminal = openTerminal();
    await terminal.run('board', 'add', 'x');
    const link = join(freshFolder(), 'link');
    symlinkSync(databaseOf(terminal.env), link);
    for (const name of [databaseOf(terminal.env), link])
      expect(await terminal.run('backup', name, '--force')).toMatchObject({
        code: 2,
        err: expect.stringContaining('is the database itself'),
      });
  });

  it('into a folder that is not there says which file cannot be written', async () => {
    const terminal = openTerminal();
    await terminal.run('board', 'add', 'x');
    const file = join(freshFolder(), 'missing', 'b');
    expect(await terminal.run('backup', file)).toMatchObject({
      code: 6,
      err: `holdfast: ${file}.partial cannot be written (ENOENT: there is no such file or folder).\n  Check that its folder exists, that you may write there and that the disk has room.`,
    });
  });

  it('has the vault beside it, and restore brings both back and keeps what it replaced', async () => {
    const terminal = openTerminal();
    await terminal.run('board', 'add', 'x');
    const vault = join(terminal.env['HOLDFAST_HOME']!, 'vault');
    mkdirSync(join(vault, 'deep'), { recursive: true });
    writeFileSync(join(vault, 'one.md'), '# One');
    writeFileSync(join(vault, 'deep', 'two.md'), '# Two');
    const file = join(freshFolder(), 'b');
    const vaultFiles = (await terminal.json<{ vaultFiles: number }>('backup', file)).vaultFiles;
    expect(vaultFiles).toBeGreaterThanOrEqual(2);
    expect(statSync(`${file}.vault`).mode & 0o777).toBe(0o600);
    writeFileSync(join(vault, 'one.md'), '# Changed');
    const { vault: restored } = await terminal.json<{ vault: { files: number; replaced: string } }>(
      'restore',
      file,
      '--force',
    );
    expect(restored.files).toBe(vaultFiles);
    expect(readFileSync(join(vault, 'one.md'), 'utf8')).toBe('# One');
    expect(readFileSync(join(vault, 'deep', 'two.md'), 'utf8')).toBe('# Two');
    expect(readFileSync(join(restored.replaced, 'one.md'), 'utf8')).toBe('# Changed');
    expect(statSync(join(vault, 'one.md')).mode & 0o777).toBe(0o600);
  });

  it('with a vault file that is damaged is not restored at all', async () => {
    const terminal = openTerminal();
    await terminal.run('board', 'add', 'x');
    const vault = join(terminal.env['HOLDFAST_HOME']!, 'vault');
    mkdirSync(vault, { recursive: true });
    writeFileSync(join(vault, 'one.md'), '# One');
    const file = join(freshFolder(), 'b');
    await terminal.run('backup', file);
    truncateSync(`${file}.vault`, statSync(`${file}.vault`).size - 5);
    const before = readFileSync(databaseOf(terminal.env));
    expect((await terminal.run('restore', file, '--force')).code).toBe(2);
    expect(readFileSync(databaseOf(terminal.env)).equals(before)).toBe(true);
  });

  it.each([['../../x'], ['/etc/x'], ['a/../x'], ['one.md', 'one.md'], ['one.md', 'one.md/two.md']])(
    'with a vault that names %j %j is refused before anything is replaced',
    async (...names) => {
      const terminal = openTerminal();
      const home = terminal.env['HOLDFAST_HOME']!;
      await terminal.run('board', 'add', 'x');
      mkdirSync(join(home, 'vault'), { recursive: true });
      writeFileSync(join(home, 'vault', 'one.md'), '# One');
      const file = join(freshFolder(), 'b');
      await terminal.run('backup', file);
      rmSync(`${file}.vault`);
      const out = writeHubFile(`${file}.vault`, { holdfast: 'hub', version: 1, schema: 0, by: '0', at: 0 });
      for (const name of names) out.file({ file: name, data: '' });
      out.end();
      out.close();
      const before = readFileSync(databaseOf(terminal.env));
      expect(await terminal.run('restore', file, '--force')).toMatchObject({
        code: 2,
        err: expect.stringContaining('Nothing was changed'),
      });
      expect(readFileSync(databaseOf(terminal.env)).equals(before)).toBe(true);
      expect(readFileSync(join(home, 'vault', 'one.md'), 'utf8')).toBe('# One');
      expect(readdirSync(home).filter((name) => /replaced|restoring|partial/.test(name))).toEqual([]);
    },
  );

  it('of a vault that is a link to a folder has its files, and restore changes the folder', async () => {
    const terminal = openTerminal();
    await terminal.run('board', 'add', 'x');
    const notes = join(freshFolder(), 'notes');
    mkdirSync(notes);
    writeFileSync(join(notes, 'one.md'), '# One');
    const vault = join(terminal.env['HOLDFAST_HOME']!, 'vault');
    rmSync(vault, { recursive: true, force: true });
    symlinkSync(notes, vault);
    const file = join(freshFolder(), 'b');
    await terminal.run('backup', file);
    writeFileSync(join(notes, 'one.md'), '# Changed');
    expect((await terminal.run('restore', file, '--force')).code).toBe(0);
    expect(readFileSync(join(notes, 'one.md'), 'utf8')).toBe('# One');
    expect(lstatSync(vault).isSymbolicLink()).toBe(true);
  });

  it('of nothing says that there is nothing', async () => {
    expect(await openTerminal().run('backup', join(freshFolder(), 'b'))).toMatchObject({
      code: 3,
      err: expect.stringContaining('There is no database at'),
    });
  });
});

describe('restore', () => {
  async function withBackup() {
    const terminal = openTerminal();
    await terminal.run('board', 'add', 'kept');
    const file = join(freshFolder(), 'b');
    await terminal.run('backup', file);
    await terminal.run('board', 'add', 'later');
    return { terminal, file };
  }
  const titles = async (terminal: ReturnType<typeof openTerminal>) =>
    (await terminal.json<{ tasks: { title: string }[] }>('board', 'list')).tasks.map(({ title }) => title);

  it('brings back what was there and keeps what it replaced', async () => {
    const { terminal, file } = await withBackup();
    expect(await terminal.run('restore', file)).toMatchObject({
      code: 4,
      err: expect.stringContaining('already exists'),
    });
    expect(await titles(terminal)).toEqual(['kept', 'later']);
    const { counts, replaced } = await terminal.json<{ counts: Record<string, number>; replaced: string }>(
      'restore',
      file,
      '--force',
    );
    expect(counts['tasks']).toBe(1);
    expect(await titles(terminal)).toEqual(['kept']);
    expect(existsSync(replaced)).toBe(true);
  });

  it.each([
    ['damaged inside', (file: string) => writeFileSync(file, damaged(readFileSync(file)))],
    ['cut short', (file: string) => truncateSync(file, 10_000)],
    ['without its header', (file: string) => writeFileSync(file, readFileSync(file).fill(0xa5, 0, 100))],
  ])('replaces a database that is %s and keeps it beside the new one', async (_what, spoil) => {
    const { terminal, file } = await withBackup();
    const database = databaseOf(terminal.env);
    spoil(database);
    writeFileSync(`${database}-wal`, 'a log that must not be taken for the new one’s');
    const { replaced } = await terminal.json<{ replaced: string }>('restore', file, '--force');
    expect(await titles(terminal)).toEqual(['kept']);
    expect(existsSync(replaced)).toBe(true);
  });

  it("leaves another program's database where it is, --force or not", async () => {
    const { terminal, file } = await withBackup();
    const database = databaseOf(terminal.env);
    rmSync(database);
    new BetterSqlite3(database).exec('create table theirs (x)').close();
    const before = readFileSync(database);
    expect(await terminal.run('restore', file, '--force')).toMatchObject({
      code: 6,
      err: expect.stringContaining('belongs to another program'),
    });
    expect(readFileSync(database).equals(before)).toBe(true);
  });

  it('of the database onto itself is refused', async () => {
    const { terminal } = await withBackup();
    expect((await terminal.run('restore', databaseOf(terminal.env), '--force')).code).toBe(2);
    expect(await titles(terminal)).toEqual(['kept', 'later']);
  });

  it('works on a machine that has no database yet', async () => {
    const { file } = await withBackup();
    const other = openTerminal();
    await other.run('status');
    expect((await other.run('restore', file)).code).toBe(0);
    expect(await titles(other)).toEqual(['kept']);
  });

  it.each([
    ['cut short', (file: string) => truncateSync(file, statSync(file).size - 5000)],
    ['of another program', (file: string) => writeFileSync(file, 'something else entirely '.repeat(20))],
    ['damaged inside', (file: string) => writeFileSync(file, damaged(readFileSync(file)))],
  ])('refuses a file that is %s and leaves the database alone', async (_what, spoil) => {
    const { terminal, file } = await withBackup();
    spoil(file);
    const before = readFileSync(databaseOf(terminal.env));
    const { code, out } = await terminal.run('restore', file, '--force');
    expect([code, out]).toEqual([6, '']);
    expect(readFileSync(databaseOf(terminal.env)).equals(before)).toBe(true);
  });

  it('refuses while a hub or a stdio server has the database open', async () => {
    const { terminal, file } = await withBackup();
    const hub = await startHub(terminal.env);
    expect((await terminal.run('restore', file, '--force')).code).toBe(4);
    await hub.stop();
    const client = await startStdio(terminal.env);
    await client.call('list_tasks');
    expect(await terminal.run('restore', file, '--force')).toMatchObject({
      code: 4,
      err: expect.stringContaining('is in use by another process'),
    });
    await client.end();
    expect((await terminal.run('restore', file, '--force')).code).toBe(0);
  });
});

it('on PostgreSQL both say how to do it, without the password', async () => {
  const terminal = openTerminal(
    undefined,
    freshHome({ HOLDFAST_DATABASE_URL: 'postgres://me:hunter2@db.example/hub' }),
  );
  const saved = await terminal.run('backup', 'x.dump');
  expect(saved).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      'pg_dump --format custom --schema holdfast --file x.dump "$HOLDFAST_DATABASE_URL"',
    ),
  });
  const restored = await terminal.run('restore', 'x.dump');
  expect(restored).toMatchObject({
    code: 2,
    err: expect.stringContaining(
      'pg_restore --clean --if-exists --single-transaction --dbname "$HOLDFAST_DATABASE_URL" x.dump',
    ),
  });
  expect(saved.err + restored.err).not.toContain('hunter2');
});

it('a plain copy of the file can be restored, too', async () => {
  const terminal = openTerminal();
  await terminal.run('board', 'add', 'kept');
  const copy = join(freshFolder(), 'copy.db');
  copyFileSync(databaseOf(terminal.env), copy);
  expect((await terminal.run('restore', copy, '--force')).code).toBe(0);
});

/** Overwrites the middle of a file, leaving its header and its size. */
function damaged(bytes: Buffer): Buffer {
  bytes.fill(0xa5, 8192, bytes.length - 4096);
  return bytes;
}
