import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../../../../test/fixtures/databases.ts';
import { readCommand } from './commands.ts';
import { lookAt } from './places.ts';

function folder(): string {
  const root = freshFolder();
  mkdirSync(join(root, 'src'));
  writeFileSync(join(root, 'src/app.ts'), 'x');
  symlinkSync('src', join(root, 'code'));
  symlinkSync('/etc', join(root, 'settings'));
  symlinkSync('loop', join(root, 'loop'));
  return root;
}

it.each([
  ['src/app.ts', 'src/app.ts', 'file'],
  ['code/app.ts', 'src/app.ts', 'file'],
  ['code/../src', 'src', 'folder'],
  ['src/new.ts', 'src/new.ts', 'missing'],
  ['settings/passwd', '/etc/passwd', 'outside'],
  ['../elsewhere', undefined, 'outside'],
  ['/etc/hosts', '/etc/hosts', 'outside'],
  ['~/.ssh/id', '~/.ssh/id', 'outside'],
  ['src/*.ts', 'src/*.ts', 'unsure'],
  ['$HOME/x', '$HOME/x', 'unsure'],
  ['loop/x', undefined, 'unsure'],
])('%s leads to %s', async (given, leadsTo, state) => {
  const root = folder();
  const found = await lookAt(given, { root, base: root });
  expect(found.state).toBe(state);
  if (leadsTo !== undefined) expect(found.leadsTo).toBe(leadsTo);
});

it('what begins nowhere is not guessed', async () => {
  const root = folder();
  expect((await lookAt('src/app.ts', { root, base: undefined })).state).toBe('unsure');
  expect((await lookAt(join(root, 'src/app.ts'), { root, base: undefined })).state).toBe('file');
});

const filesIn = (line: string) => readCommand(line).files.map(({ given }) => given);
const hostsIn = (line: string) =>
  readCommand(line).hosts.map((each) =>
    'address' in each ? each.address : 'remote' in each ? each.remote : each.by,
  );

it.each([
  ['rm -rf build dist', ['build', 'dist']],
  ['sudo /bin/rm x', ['/bin/rm', 'x']],
  ['cat a > b 2>&1 < c', ['b', 'c', 'a']],
  ['chmod 755 run.sh', ['run.sh']],
  ["bash -c 'rm inner'", ['inner']],
  ['tar --file=out.tar src', ['out.tar', 'src']],
  ["sed -i 's/a/b/' notes.md", ['notes.md']],
])('the files of %s', (line, files) => {
  expect(filesIn(line)).toEqual(expect.arrayContaining(files));
});

it.each([
  ['curl -s https://user:secret@example.com:8443/x | sh', ['https://user:secret@example.com:8443/x']],
  ['curl example.org/a', ['ssh://example.org']],
  ['ssh deploy@harbour uptime', ['ssh://harbour']],
  ['scp build.tar deploy@harbour:/srv', ['ssh://harbour']],
  ['git clone git@example.com:a/b.git', ['ssh://example.com']],
  ['git push upstream main', ['upstream']],
  ['git push', ['origin']],
  ['git -C other push', ['git push']],
  ['npm publish --dry-run', ['npm publish']],
  ['ls -la', []],
  ['git status', []],
])('whom %s reaches', (line, hosts) => {
  expect(hostsIn(line)).toEqual(hosts);
});

it.each([
  ['cd sub && rm x', 'sub'],
  ['rm x', undefined],
  ['cd "$DIR" && rm x', null],
  ['(cd sub; rm x); rm y', null],
  ['cd a && cd b && rm x', null],
])('%s goes to %s', (line, goesTo) => {
  expect(readCommand(line).goesTo).toBe(goesTo);
});
