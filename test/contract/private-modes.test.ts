import { mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { openFiles } from '../../src/features/brain/vault/files.ts';
import { takeHubLock } from '../../src/store/dialects/sqlite/hub-lock.ts';
import { freshFolder } from '../fixtures/databases.ts';

const modeOf = (path: string) => statSync(path).mode & 0o777;

it('row 20: a vault outside the home is its owner’s alone, in its folders and its files', async () => {
  const vault = join(freshFolder(), 'shared', 'vault');
  const files = await openFiles(vault);
  await files.create('entities/people/bob.md', 'Bob sails.');
  await files.replace('MEMORY.md', 'made');
  for (const folder of ['', 'entities', 'entities/people'])
    expect(modeOf(join(vault, folder)), folder).toBe(0o700);
  for (const file of ['entities/people/bob.md', 'MEMORY.md'])
    expect(modeOf(join(vault, file)), file).toBe(0o600);
});

it('row 20: what a person has shared stays as shared as it was', async () => {
  const vault = freshFolder();
  mkdirSync(join(vault, 'entities'), { mode: 0o755 });
  writeFileSync(join(vault, 'entities', 'bob.md'), 'x', { mode: 0o644 });
  await (await openFiles(vault)).replace('entities/bob.md', 'y');
  expect(modeOf(join(vault, 'entities', 'bob.md'))).toBe(0o644);
});

it('row 20: the lock beside a database outside the home is its owner’s alone', () => {
  const folder = freshFolder();
  const lock = takeHubLock(join(folder, 'a.db'));
  expect(modeOf(join(folder, 'a.db.lock'))).toBe(0o600);
  lock.release();
});
