import { existsSync, linkSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../fixtures/databases.ts';
import { freshHome, runHoldfast, startHub } from '../fixtures/hub-process.ts';
import { openTerminal } from '../fixtures/terminal.ts';

const terminalOn = (database: string) => openTerminal(undefined, freshHome({ CLAWBOO_DB_PATH: database }));

it('makes the folders of a database that is not there yet', async () => {
  const database = join(freshFolder(), 'new', 'deep', 'board.db');
  const running = terminalOn(database).start('up', '--port', '0');
  await expect.poll(() => running.lines.join('\n')).toContain(' is up at http://127.0.0.1:');
  expect((await running.interrupt()).code).toBe(0);
  expect(existsSync(database)).toBe(true);
});

it('names the token where it is: in the variable, when it is given there', async () => {
  const env = freshHome({ HOLDFAST_TOKEN: 'a'.repeat(40) });
  const running = openTerminal(undefined, env).start('up', '--port', '0');
  await expect.poll(() => running.lines.join('\n')).toContain('with the token in HOLDFAST_TOKEN');
  expect((await running.interrupt()).code).toBe(0);
});

it('says in one line where no database can be', async () => {
  const file = join(freshFolder(), 'file');
  writeFileSync(file, '');
  const refused = await terminalOn(join(file, 'board.db')).run('up', '--port', '0');
  expect(refused).toMatchObject({
    code: 6,
    err: expect.stringContaining('board.db cannot be opened (ENOTDIR: a part of the path is no folder).'),
  });
});

it('leaves nothing beside a file of another program', async () => {
  const folder = freshFolder();
  writeFileSync(join(folder, 'notes.txt'), 'not a database at all '.repeat(20));
  const refused = await terminalOn(join(folder, 'notes.txt')).run('up', '--port', '0');
  expect(refused).toMatchObject({ code: 6, err: expect.stringContaining('belongs to another program') });
  expect(readdirSync(folder)).toEqual(['notes.txt']);
});

it('a second hub is refused on whatever link leads to the file, and the first one stays known', async () => {
  const folder = freshFolder();
  const [database, link, second] = ['board.db', 'link.db', 'second.db'].map((name) => join(folder, name));
  const first = await startHub(freshHome({ CLAWBOO_DB_PATH: database! }));
  const record = readFileSync(`${database}.hub.json`, 'utf8');
  symlinkSync(database!, link!);
  const up = (path: string) => runHoldfast(freshHome({ CLAWBOO_DB_PATH: path }), ['up', '--port', '0']);
  expect(up(link!)).toMatchObject({ code: 4, err: expect.stringContaining(`process ${first.pid}`) });
  linkSync(database!, second!);
  expect(up(second!)).toMatchObject({ code: 4, err: expect.stringContaining('2 names (hard links)') });
  expect(readFileSync(`${database}.hub.json`, 'utf8')).toBe(record);
  expect(readdirSync(folder).filter((name) => name.startsWith('second.db'))).toEqual(['second.db']);
});
