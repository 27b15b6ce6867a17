// Every git operation of the hub over a repository that is full of traps: none of them is sprung.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { gitReference } from '../../src/cli/board/git-reference.ts';
import { mergeBranch } from '../../src/features/dispatch/worktree/merge.ts';
import {
  commitRest,
  diffOf,
  makeWorktree,
  planWorktree,
  reviewWorktree,
  tidyWorktree,
} from '../../src/features/dispatch/worktree/worktrees.ts';
import type { Run } from '../../src/features/dispatch/run.ts';
import { readRoots } from '../../src/features/projects/roots.ts';
import { freshFolder } from '../fixtures/databases.ts';
import { freshRepository } from '../fixtures/repository.ts';
import {
  ATTRIBUTES,
  lines,
  plainGit,
  type TrapRepository,
  trapRepository,
} from '../fixtures/trap-repository.ts';

const run = { agent: 'ada' } as Run;
const label = { task: 'task01', run: 'run001' };
const KINDS = ['txt', 'dat', 'inc', 'glo'];

afterEach(() => void delete process.env['GIT_CONFIG_GLOBAL']);

/** What a run does between the operations of the hub. */
function workIn(folder: string, word: string): void {
  writeFileSync(join(folder, '.gitattributes'), ATTRIBUTES);
  for (const kind of KINDS) {
    writeFileSync(join(folder, `a.${kind}`), `${word}\n${lines('base', 30)}`);
    writeFileSync(join(folder, `new.${kind}`), `${word}\n`);
  }
}

async function worktreeOf(repository: TrapRepository | ReturnType<typeof freshRepository>) {
  const worktree = await planWorktree(freshFolder(), repository.path, label);
  await makeWorktree(worktree);
  return worktree;
}

function advance(repository: TrapRepository, file: string, text: string): void {
  repository.disarm();
  repository.commit(file, text);
  repository.arm();
}

describe('the git of the hub', { timeout: 60_000 }, () => {
  it('runs none of the programs that a repository, its files or its person name', async () => {
    const repository = trapRepository();
    repository.arm();
    const worktree = await worktreeOf(repository);
    expect(readFileSync(join(worktree.path, '.env'), 'utf8')).toBe('here\n');
    workIn(worktree.path, 'work');
    const within = join(worktree.path, 'within');
    mkdirSync(within);
    plainGit(within, 'init', '-q');
    plainGit(
      within,
      '-c',
      'user.name=w',
      '-c',
      'user.email=w@x.invalid',
      'commit',
      '-q',
      '--allow-empty',
      '-mx',
    );
    writeFileSync(join(within, '.git', 'config'), readFileSync(join(repository.path, '.git', 'config')));
    writeFileSync(
      join(worktree.path, '.gitmodules'),
      '[submodule "within"]\npath = within\nurl = ./w\nignore = none\n',
    );
    repository.disarm();
    repository.arm();
    expect(repository.sprung()).toEqual([]);

    expect(await reviewWorktree(worktree)).toMatchObject({ commits: [], isDirty: true });
    expect((await diffOf(worktree)).diff).toContain('+work');
    await commitRest(worktree, run);
    writeFileSync(join(within, 'changed'), 'x');
    expect(await reviewWorktree(worktree)).toMatchObject({ commits: [expect.any(String)], isDirty: false });
    advance(repository, 'a.txt', `${lines('base', 30)}more\n`);
    expect(await mergeBranch(worktree)).toEqual({ merged: true, into: 'main', conflicts: [] });
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe(`work\n${lines('base', 30)}more\n`);

    workIn(worktree.path, 'again');
    await commitRest(worktree, run);
    advance(repository, 'a.txt', `other\n${lines('base', 30)}`);
    expect(await mergeBranch(worktree)).toMatchObject({ merged: false, conflicts: ['a.txt'] });
    expect(await tidyWorktree(worktree)).toBe(false);
    expect((await diffOf(worktree)).diff).toContain('+again');
    expect(await readRoots(repository.path, new AbortController().signal)).toHaveLength(1);
    expect(await gitReference({ commit: 'HEAD~1' }, repository.path)).toMatch(/^commit [0-9a-f]{40}$/);
    expect(repository.sprung()).toEqual([]);
  });

  it('would spring them, were it anybody else’s', () => {
    const repository = trapRepository();
    repository.arm();
    const { path } = repository;
    workIn(path, 'work');
    plainGit(path, 'add', '-A');
    plainGit(path, 'diff', 'HEAD');
    rmSync(join(path, 'a.txt'));
    plainGit(path, 'checkout', '--', 'a.txt');
    plainGit(path, 'commit', '-m', 'x');
    plainGit(path, 'log', '-p', '--ext-diff');
    plainGit(path, 'fetch', 'origin');
    expect([...new Set(repository.sprung())]).toEqual(
      expect.arrayContaining([
        'fsmonitor',
        'cleaned-clean',
        'cleaned-smudge',
        'included-clean',
        'global-clean',
        'process',
        'gpg',
        'pre-commit',
        'post-checkout',
        'remote',
      ]),
    );
  });

  it('fetches nothing that is missing, and looks for no files where a setting says they are', async () => {
    const elsewhere = freshFolder();
    const repository = trapRepository(
      `[core]\nworktree = ${elsewhere}\nrepositoryformatversion = 1\n[extensions]\npartialClone = origin\n`,
    );
    const blob = repository.git('rev-parse', 'HEAD:a.txt').trim();
    const worktree = await worktreeOf(repository);
    rmSync(join(repository.path, '.git', 'objects', blob.slice(0, 2), blob.slice(2)));
    writeFileSync(join(worktree.path, 'a.txt'), 'changed\n');
    repository.arm();
    await expect(diffOf(worktree)).rejects.toThrow('git diff failed');
    expect(repository.sprung()).toEqual([]);
    expect(existsSync(join(elsewhere, 'a.txt'))).toBe(false);
    plainGit(worktree.path, 'cat-file', '-p', blob);
    expect(repository.sprung()).toContain('remote');
  });
});

describe('the worktree of a run', { timeout: 60_000 }, () => {
  it('is one that everybody’s git knows, clean when it is made and when its rest is committed', async () => {
    const repository = freshRepository();
    repository.commit('script.sh', 'echo hi\n');
    repository.git('update-index', '--chmod=+x', 'script.sh');
    repository.git('commit', '-qm', 'x');
    repository.git('checkout', '-q', '--', '.');
    const worktree = await worktreeOf(repository);
    const inTree = (...args: string[]) => repository.git('-C', worktree.path, ...args);
    expect(repository.git('worktree', 'list', '--porcelain')).toContain(
      `worktree ${worktree.path}\nHEAD ${worktree.base}\nbranch refs/heads/${worktree.branch}\n`,
    );
    repository.git('worktree', 'prune');
    expect([inTree('status', '--porcelain'), inTree('rev-parse', '--abbrev-ref', 'HEAD').trim()]).toEqual([
      '',
      worktree.branch,
    ]);
    writeFileSync(join(worktree.path, 'new.txt'), 'new\n');
    inTree('update-index', '--assume-unchanged', 'README.md');
    writeFileSync(join(worktree.path, 'README.md'), 'changed\n');
    await commitRest(worktree, run);
    expect(inTree('status', '--porcelain')).toBe('');
    expect(inTree('show', '--stat', '--format=%an', 'HEAD')).toMatch(/^ada\n[^]*README\.md[^]*new\.txt/);
    expect(inTree('reflog', '-1', worktree.branch)).toContain('that was not committed');
    await mergeBranch(worktree);
    expect(repository.git('status', '--porcelain')).toBe('');
    expect(repository.git('log', '-1', '--format=%an %s').trim()).toBe(
      `test Merge branch '${worktree.branch}'`,
    );
    await tidyWorktree(worktree);
    expect(repository.git('worktree', 'list')).not.toContain(worktree.path);
    repository.git('fsck', '--strict');
  });

  it('keeps a branch with work on it, whatever its agent has checked out', async () => {
    const repository = freshRepository();
    const worktree = await worktreeOf(repository);
    const inTree = (...args: string[]) => repository.git('-C', worktree.path, ...args);
    inTree('commit', '-q', '--allow-empty', '-m', 'work');
    inTree('checkout', '-q', '--detach', worktree.base);
    await tidyWorktree(worktree);
    expect(repository.git('log', '-1', '--format=%s', worktree.branch).trim()).toBe('work');
  });

  it('has the bytes that are committed; what is merged ends its lines as the checkout of the person does', async () => {
    const repository = freshRepository();
    repository.commit('.gitattributes', '* text=auto eol=crlf\n');
    repository.commit('a.txt', 'one\ntwo\n');
    repository.git('rm', '-q', '--cached', '-r', '.');
    repository.git('reset', '-q', '--hard');
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('one\r\ntwo\r\n');
    const worktree = await worktreeOf(repository);
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('one\ntwo\n');
    expect(repository.git('-C', worktree.path, 'status', '--porcelain')).toBe('');
    writeFileSync(join(worktree.path, 'a.txt'), 'one\n2\n');
    await commitRest(worktree, run);
    expect(await mergeBranch(worktree)).toMatchObject({ merged: true });
    expect([repository.git('status', '--porcelain'), repository.git('show', 'HEAD:a.txt')]).toEqual([
      '',
      'one\n2\n',
    ]);
    expect(readFileSync(join(repository.path, 'a.txt'), 'utf8')).toBe('one\r\n2\r\n');
  });

  it('leaves out what its person never wants to see', async () => {
    const repository = freshRepository();
    const excludes = join(freshFolder(), 'never');
    writeFileSync(excludes, '.DS_Store\n');
    repository.git('config', 'core.excludesFile', excludes);
    const worktree = await worktreeOf(repository);
    writeFileSync(join(worktree.path, '.DS_Store'), 'x');
    expect(await reviewWorktree(worktree)).toMatchObject({ isDirty: false });
  });

  it('is not merged over what lies in the way, and the branch stays where it was', async () => {
    const repository = freshRepository();
    const worktree = await worktreeOf(repository);
    writeFileSync(join(worktree.path, 'way.txt'), 'theirs\n');
    await commitRest(worktree, run);
    writeFileSync(join(repository.path, 'way.txt'), 'mine\n');
    const before = repository.git('rev-parse', 'HEAD');
    await expect(mergeBranch(worktree)).rejects.toThrow('way.txt');
    expect([
      repository.git('rev-parse', 'HEAD'),
      readFileSync(join(repository.path, 'way.txt'), 'utf8'),
    ]).toEqual([before, 'mine\n']);
    rmSync(join(repository.path, 'way.txt'));
    repository.git('checkout', '-q', '--detach');
    await expect(mergeBranch(worktree)).rejects.toThrow('has no branch checked out');
  });
});
