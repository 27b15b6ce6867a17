import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshFolder } from '../../test/fixtures/databases.ts';
import { replaceFile } from './replace-file.ts';

it('puts the new text in place, for its owner alone unless told otherwise, and leaves nothing beside it', () => {
  const folder = freshFolder();
  const path = join(folder, 'a');
  replaceFile(path, 'one');
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['one', 0o600]);
  replaceFile(path, 'two', 0o644);
  expect([readFileSync(path, 'utf8'), statSync(path).mode & 0o777]).toEqual(['two', 0o644]);
  expect(readdirSync(folder)).toEqual(['a']);
});

it('replaces a link and not what it leads to', () => {
  const folder = freshFolder();
  writeFileSync(join(folder, 'real'), 'kept');
  symlinkSync(join(folder, 'real'), join(folder, 'link'));
  replaceFile(join(folder, 'link'), 'new');
  expect([readFileSync(join(folder, 'real'), 'utf8'), readFileSync(join(folder, 'link'), 'utf8')]).toEqual([
    'kept',
    'new',
  ]);
});

it('where it cannot, the old stays and no draft is left', () => {
  const folder = freshFolder();
  mkdirSync(join(folder, 'a'));
  expect(() => replaceFile(join(folder, 'a'), 'x')).toThrow('EISDIR');
  expect(() => replaceFile(join(folder, 'none', 'a'), 'x')).toThrow('ENOENT');
  expect(readdirSync(folder)).toEqual(['a']);
});
