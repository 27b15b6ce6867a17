import { sha256 } from '../../../kernel/digest.ts';
import { existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import type { Run, Worktree } from '../run.ts';
import { git, inTurn } from './git.ts';
import { gitInTree, isOwnTree } from './own-tree.ts';

/** A checkout of its own for each run, on a branch of its own. The branch keeps the work; the folder goes when nothing is left in it. */
export async function planWorktree(
  home: string,
  repository: string,
  name: Readonly<{ task: string; run: string }>,
): Promise<Worktree> {
  const base = (await git(repository, 'rev-parse', 'HEAD').catch(() => '')).trim();
  if (base === '')
    throw new HubError('invalid', `${repository} has no commit yet, so there is nothing to branch from.`);
  const mark = sha256(repository).slice(0, 6);
  const folder = `${basename(repository)}-${mark}`;
  const label = `${name.task.slice(-6)}-${name.run.slice(-6)}`;
  return {
    repository,
    base,
    branch: `holdfast/${label}`,
    path: join(home, 'worktrees', folder, label),
    kept: true,
  };
}

/** False when it is there already, as its own run left it. */
export function makeWorktree(worktree: Worktree): Promise<boolean> {
  return inTurn(worktree.repository, () => make(worktree));
}

async function make(worktree: Worktree): Promise<boolean> {
  const { repository, path, branch, base } = worktree;
  if (existsSync(path)) {
    const there = await gitInTree(worktree, 'rev-parse', '--abbrev-ref', 'HEAD').catch(() => '');
    if (there.trim() === branch) return false;
    throw new HubError('conflict', `${path} is in use already.`, {
      hint: 'Move what is there away, and start the run again.',
    });
  }
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const isKnown = await git(repository, 'rev-parse', '--verify', '--quiet', `refs/heads/${branch}`).then(
    () => true,
    () => false,
  );
  await git(repository, 'worktree', 'add', ...(isKnown ? [path, branch] : ['-b', branch, path, base]));
  await copyIncluded(repository, path);
  return true;
}

/** `.worktreeinclude` names ignored files that a checkout needs all the same, in the words of .gitignore. git reads both. */
async function copyIncluded(repository: string, path: string): Promise<void> {
  const list = join(repository, '.worktreeinclude');
  if (!existsSync(list)) return;
  const [wanted, ignored] = await Promise.all(
    [`--exclude-from=${list}`, '--exclude-standard'].map(async (rules) =>
      (await git(repository, 'ls-files', '--others', '--ignored', rules, '-z')).split('\0').filter(Boolean),
    ),
  );
  const isIgnored = new Set(ignored);
  for (const file of wanted!.filter((each) => isIgnored.has(each))) {
    await cp(join(repository, file), join(path, file), { recursive: true, verbatimSymlinks: true });
  }
}

/** What a run left: its commits and how much they change. `isDirty`: there is more that nobody committed. */
export type Review = Readonly<{ commits: readonly string[]; stat: string; isDirty: boolean }>;

export async function reviewWorktree(worktree: Worktree): Promise<Review> {
  const { base } = worktree;
  const [log, stat, status] = await Promise.all([
    gitInTree(worktree, 'log', '--format=%h %s', '-n', '50', `${base}..HEAD`),
    gitInTree(worktree, 'diff', ...PLAIN, '--shortstat', `${base}..HEAD`),
    gitInTree(worktree, 'status', '--porcelain', '--ignore-submodules=all'),
  ]);
  return { commits: log.split('\n').filter(Boolean), stat: stat.trim(), isDirty: status.trim() !== '' };
}

/** Work that its agent did not commit is committed for it: a branch that is done holds everything. */
export function commitRest(worktree: Worktree, run: Run): Promise<void> {
  return inTurn(worktree.repository, () => commitAll(worktree, run));
}

async function commitAll(worktree: Worktree, run: Run): Promise<void> {
  await gitInTree(worktree, 'add', '-A');
  const who = ['-c', `user.name=${run.agent}`, '-c', `user.email=${run.agent}@holdfast.invalid`];
  const about = `Work of ${run.agent} that was not committed`;
  await gitInTree(worktree, ...who, 'commit', '--no-verify', '-q', '-m', about);
}

/** Gone when clean; the branch goes with it when it holds nothing. Answers whether the folder is still there. */
export function tidyWorktree(worktree: Worktree): Promise<boolean> {
  return inTurn(worktree.repository, () => tidy(worktree));
}

async function tidy(worktree: Worktree): Promise<boolean> {
  const { repository, path, branch } = worktree;
  if (!existsSync(path)) return false;
  if (!(await isOwnTree(worktree))) return true;
  const { commits, isDirty } = await reviewWorktree(worktree);
  if (isDirty) return true;
  await git(repository, 'worktree', 'remove', path).catch(async () => {
    // Ignored files, such as installed packages, keep git from removing it; nobody's work is among them.
    await rm(path, { recursive: true, force: true });
    await git(repository, 'worktree', 'prune');
  });
  if (commits.length === 0) await git(repository, 'branch', '-D', branch);
  return false;
}

type Difference = Readonly<{ stat: string; diff: string }>;

/** In turn: half of a worktree that is being taken away would look like a change. */
export function diffOf(worktree: Worktree): Promise<Difference> {
  return inTurn(worktree.repository, () => diff(worktree));
}

async function diff(worktree: Worktree): Promise<Difference> {
  const { repository, path, base, branch } = worktree;
  const isThere = existsSync(path);
  const range = isThere ? [base] : [base, branch];
  const look = (...args: readonly string[]) =>
    isThere ? gitInTree(worktree, ...args) : git(repository, ...args);
  if (isThere) await look('add', '-A', '-N');
  return {
    stat: await look('diff', ...PLAIN, '--stat', ...range),
    diff: await look('diff', ...PLAIN, ...range),
  };
}

/** Shown by git itself, by no program that a repository names. */
const PLAIN = ['--no-ext-diff', '--no-textconv', '--ignore-submodules=all'] as const;

export type Merged = Readonly<{ merged: boolean; into: string; conflicts: readonly string[] }>;

/** Into the branch that the repository has checked out. A merge that conflicts is taken back, and says where. */
export function mergeBranch(worktree: Worktree): Promise<Merged> {
  return inTurn(worktree.repository, () => merge(worktree));
}

async function merge(worktree: Worktree): Promise<Merged> {
  const { repository, path, branch } = worktree;
  const look = ['status', '--porcelain', '--ignore-submodules=all'];
  if (existsSync(path) && (await gitInTree(worktree, ...look)).trim() !== '')
    throw new HubError('conflict', `${path} has changes that are not committed.`, {
      hint: 'Commit or drop them there first.',
    });
  const dirty = await git(repository, 'status', '--porcelain', '--untracked-files=no');
  if (dirty.trim() !== '')
    throw new HubError('conflict', `${repository} has changes that are not committed.`, {
      hint: 'Commit or stash them first.',
    });
  const into = (await git(repository, 'rev-parse', '--abbrev-ref', 'HEAD')).trim();
  try {
    await git(repository, 'merge', '--no-ff', '--no-edit', branch);
    return { merged: true, into, conflicts: [] };
  } catch (error) {
    const conflicts = (await git(repository, 'diff', '--name-only', '--diff-filter=U'))
      .split('\n')
      .filter(Boolean);
    if (conflicts.length === 0) throw error;
    await git(repository, 'merge', '--abort');
    return { merged: false, into, conflicts };
  }
}
