import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeFolders } from './folders.ts';

function freshFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-folders-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
}

it('makes every missing folder for its owner alone, and is content with what is there', () => {
  const root = freshFolder();
  makeFolders(join(root, 'a', 'b'));
  makeFolders(join(root, 'a', 'b'));
  expect([statSync(join(root, 'a')), statSync(join(root, 'a', 'b'))].map(({ mode }) => mode & 0o777)).toEqual(
    [0o700, 0o700],
  );
});

it('says so where no folder can be made', () => {
  const file = join(freshFolder(), 'file');
  writeFileSync(file, '');
  expect(() => makeFolders(join(file, 'below'))).toThrow('ENOTDIR');
});

it.runIf(process.platform === 'linux')('comes back from a place where the system makes none', () => {
  expect(() => makeFolders('/proc/holdfast/deep')).toThrow('ENOENT');
});
