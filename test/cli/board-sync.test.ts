import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

function clone() {
  const top = realpathSync(freshFolder());
  const git = (...args: string[]) => execFileSync('git', args, { cwd: top, encoding: 'utf8' });
  git('init', '-q');
  git('config', 'user.name', 'Ada');
  const terminal = openTerminal(undefined, freshHome(), top);
  const file = join(top, '.holdfast', 'board.jsonl');
  return { top, git, terminal, file, read: () => readFileSync(file, 'utf8') };
}

const line = (id: string, title: string, at = 1) =>
  JSON.stringify({ id, v: 1, fields: { title: [title, at, 'Ben'], status: ['todo', at, 'Ben'] } });

it('writes the file beside its attributes, and then both agree; an open merge is closed, and broken lines stay', async () => {
  const { top, git, terminal, file, read } = clone();
  await terminal.run('board', 'add', 'keel');
  const first = await terminal.run('board', 'sync');
  expect(first.out).toBe(
    'Wrote .holdfast/board.jsonl: 1 task. Commit .holdfast, and it travels with the repository.',
  );
  expect(read()).toMatch(/^\{"id":"[\w-]+","v":1,"fields":\{"title":\["keel",\d+,"Ada"\],/);
  expect(git('check-attr', 'merge', '.holdfast/board.jsonl')).toContain('merge: union');
  expect((await terminal.run('board', 'sync')).out).toBe(
    'The board and .holdfast/board.jsonl agree: 1 task.',
  );

  writeFileSync(
    file,
    `${read()}<<<<<<< HEAD\r\n${line('b', 'mine')}\r\n=======\n${line('b', 'theirs', 2)}\n>>>>>>> x\n{"id":\n`,
  );
  const second = await terminal.run('board', 'sync');
  expect(second.code).toBe(1);
  expect(second.out).toContain('On the board: 1 new (labelled foreign; the open ones wait in backlog).');
  expect(second.err).toContain('.holdfast/board.jsonl:7: not JSON. It stays as it is until you mend it.');
  expect(second.err).toContain('A merge was left open');
  const lines = read().split('\n');
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain('theirs');
  expect(lines[2]).toBe('{"id":');
  expect((await terminal.run('board', 'list', '--status', 'backlog')).out).toContain('theirs');
  writeFileSync(join(top, '.gitignore'), '.holdfast/\n');
  expect((await terminal.run('board', 'sync', '--dry-run')).err).toContain('git ignores');
});

it('is taken back as one command: off this board, in the file as before, until it is taken again', async () => {
  const { terminal, file, read } = clone();
  await terminal.run('board', 'add', 'keel');
  await terminal.run('board', 'sync');
  writeFileSync(file, `${read()}${line('b', 'mast')}\n${line('c', 'sail')}\n`);
  await terminal.run('board', 'sync');
  const listed = (await terminal.run('undo', '--list')).out.split('\n');
  expect(listed[1]).toContain(' sync of .holdfast/board.jsonl: 2 added ');
  expect((await terminal.run('undo', '--yes')).out.split('\n')).toHaveLength(2);
  const text = read();
  expect((await terminal.run('board', 'sync')).out).toBe(
    [
      'The board and .holdfast/board.jsonl agree: 3 tasks.',
      '2 tasks of the file stay off this board, since you took the sync back; --again takes them.',
    ].join('\n'),
  );
  expect(read()).toBe(text);
  expect((await terminal.run('board', 'list', '--any')).out).not.toContain('mast');
  expect((await terminal.run('board', 'sync', '--again')).out).toContain('On the board: 2 changed.');
  expect((await terminal.run('board', 'list', '--status', 'backlog')).out).toContain('mast');
  expect(read()).toBe(text);
});

it('never writes or reads outside of the repository, nor into the home of the hub', async () => {
  const { top, terminal, file } = clone();
  await terminal.run('board', 'add', 'keel');
  const elsewhere = freshFolder();
  symlinkSync(elsewhere, join(top, '.holdfast'));
  const refused = await terminal.run('board', 'sync');
  expect([refused.code, refused.err]).toEqual([
    5,
    expect.stringContaining('is no folder of this repository'),
  ]);
  expect(existsSync(join(elsewhere, 'board.jsonl'))).toBe(false);
  execFileSync('rm', [join(top, '.holdfast')]);
  mkdirSync(join(top, '.holdfast'));
  writeFileSync(join(elsewhere, 'x'), 'secret');
  symlinkSync(join(elsewhere, 'x'), file);
  expect((await terminal.run('board', 'sync')).err).toContain('is no file of this repository');
  expect(readFileSync(join(elsewhere, 'x'), 'utf8')).toBe('secret');
  execFileSync('rm', [file]);
  writeFileSync(file, Buffer.from([0xff, 0xfe]));
  expect((await terminal.run('board', 'sync')).err).toContain('is not UTF-8');
  const home = openTerminal(undefined, { ...freshHome(), HOLDFAST_HOME: join(top, '.holdfast') }, top);
  expect((await home.run('board', 'sync')).err).toContain('is the home of this hub');
  const outside = openTerminal(undefined, freshHome(), freshFolder());
  expect(await outside.run('board', 'sync')).toMatchObject({
    code: 2,
    err: expect.stringContaining('is in none'),
  });
});
