import { existsSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { freshRepository } from '../../../test/fixtures/repository.ts';
import { type Git, withGit } from './git.ts';
import { finishFiles, mergeManyTrees, moveWithFiles } from './merge.ts';
import { checkoutOf } from './repository.ts';

/** main at `from`, and a commit `to` that changes, adds and removes a file. */
function prepared() {
  const repository = freshRepository();
  const { git, path, commit } = repository;
  commit('gone.txt', 'gone\n');
  const from = git('rev-parse', 'HEAD').trim();
  git('checkout', '-q', '-b', 'next');
  git('rm', '-q', 'gone.txt');
  writeFileSync(join(path, 'added.txt'), 'added\n');
  commit('README.md', 'changed\n');
  const to = git('rev-parse', 'HEAD').trim();
  git('checkout', '-q', 'main');
  const move = { ref: 'refs/heads/main', from, to, about: 'move' };
  const within = async <T>(work: (git: Git) => Promise<T>): Promise<T> => {
    const place = await checkoutOf(path);
    return withGit({ place, files: path, index: 'own', lineEnds: 'person' }, work);
  };
  const status = () => git('status', '--porcelain').trim();
  return { ...repository, from, to, move, within, status, lock: join(path, '.git', 'index.lock') };
}

it('a branch moves with its files, under the lock of the index', async () => {
  const { within, move, status, git, to, lock } = prepared();
  await within((own) => moveWithFiles(own, move));
  expect([status(), git('rev-parse', 'main').trim(), existsSync(lock)]).toEqual(['', to, false]);
});

it('files that were only touched, or copied, follow as well', async () => {
  const { within, move, status, path } = prepared();
  utimesSync(join(path, 'README.md'), 1, 1);
  await within((own) => moveWithFiles(own, move));
  expect([status(), readFileSync(join(path, 'README.md'), 'utf8')]).toEqual(['', 'changed\n']);
});

it('nothing moves where somebody changed a file, be it one that would stay', async () => {
  const { within, move, git, from, path, commit } = prepared();
  git('checkout', '-q', '-b', 'own');
  commit('apart.txt', 'apart\n');
  const at = git('rev-parse', 'HEAD').trim();
  writeFileSync(join(path, 'apart.txt'), 'mine\n');
  const own = { ...move, ref: 'refs/heads/own', from: at, to: at };
  await expect(within((files) => moveWithFiles(files, own))).rejects.toThrow('not committed');
  expect(git('rev-parse', 'main').trim()).toBe(from);
});

it('nothing moves while another git is at work, and the lock of a hub that is gone is nobody', async () => {
  const { within, move, git, from, to, lock, status } = prepared();
  writeFileSync(lock, '');
  await expect(within((own) => moveWithFiles(own, move))).rejects.toThrow('Another git is at work');
  expect(git('rev-parse', 'main').trim()).toBe(from);
  writeFileSync(lock, 'holdfast 999999999\n');
  await within((own) => moveWithFiles(own, move));
  expect([status(), git('rev-parse', 'main').trim()]).toEqual(['', to]);
});

it.each([
  ['none', []],
  ['some', ['README.md']],
  ['all', ['README.md', 'added.txt']],
] as const)('what a dead hub left half is finished: %s of the files were written', async (_, written) => {
  const { within, move, git, path, status, lock } = prepared();
  git('update-ref', 'refs/heads/main', move.to);
  writeFileSync(lock, 'holdfast 999999999\n');
  const texts = { 'README.md': 'changed\n', 'added.txt': 'added\n' };
  for (const name of written) writeFileSync(join(path, name), texts[name]);
  const isFinished = await within((own) => finishFiles(own, move));
  expect(isFinished).toBe(true);
  expect(status()).toBe('');
  expect(existsSync(join(path, 'gone.txt'))).toBe(false);
});

it('and what is of a person stays theirs', async () => {
  const { within, move, git, path } = prepared();
  git('update-ref', 'refs/heads/main', move.to);
  writeFileSync(join(path, 'README.md'), 'mine\n');
  expect(await within((own) => finishFiles(own, move))).toBe(false);
  expect(readFileSync(join(path, 'README.md'), 'utf8')).toBe('mine\n');
  expect(git('diff', '--cached', '--stat', move.from)).toBe('');
});

it('many are merged by few gits; a pair that cannot be merged at all stops none of the others', async () => {
  const { within, git, from, to, path, commit } = prepared();
  git('checkout', '-q', '-b', 'other', from);
  commit('README.md', 'otherwise\n');
  const other = git('rev-parse', 'HEAD').trim();
  git('checkout', '-q', '--orphan', 'apart');
  git('commit', '-q', '-m', 'nothing in common');
  const apart = git('rev-parse', 'HEAD').trim();
  git('checkout', '-q', '-f', 'main');
  const pairs = [
    { ours: from, theirs: to },
    { ours: to, theirs: apart },
    { ours: to, theirs: other },
    { ours: apart, theirs: from },
    { ours: from, theirs: other },
  ];
  const merged = await within((own) => mergeManyTrees(own, pairs));
  const tree = (name: string) => git('-C', path, 'rev-parse', `${name}^{tree}`).trim();
  expect(merged).toEqual([
    { tree: tree(to), conflicts: [] },
    undefined,
    { tree: expect.stringMatching(/^[0-9a-f]{40}$/), conflicts: ['README.md'] },
    undefined,
    { tree: tree(other), conflicts: [] },
  ]);
});
