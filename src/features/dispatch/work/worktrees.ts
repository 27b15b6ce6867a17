import { sha256 } from '../../../kernel/digest.ts';
import { existsSync } from 'node:fs';
import { cp, mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import type { Run, Worktree } from '../run.ts';
import { git, inTurn } from './git.ts';

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

async function make({ repository, path, branch, base }: Worktree): Promise<boolean> {
  if (existsSync(path)) {
    const there = await git(path, 'rev-parse', '--abbrev-ref', 'HEAD').catch(() => '');
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

export async function reviewWorktree({ path, base }: Worktree): Promise<Review> {
  const [log, stat, status] = await Promise.all([
    git(path, 'log', '--format=%h %s', '-n', '50', `${base}..HEAD`),
    git(path, 'diff', '--shortstat', `${base}..HEAD`),
    git(path, 'status', '--porcelain'),
  ]);
  return { commits: log.split('\n').filter(Boolean), stat: stat.trim(), isDirty: status.trim() !== '' };
}

/** Work that its agent did not commit is committed for it: a branch that is done holds everything. */
export function commitRest({ repository, path }: Worktree, run: Run): Promise<void> {
  return inTurn(repository, () => commitAll(path, run));
}

async function commitAll(path: string, run: Run): Promise<void> {
  await git(path, 'add', '-A');
  const who = ['-c', `user.name=${run.agent}`, '-c', `user.email=${run.agent}@holdfast.invalid`];
  await git(path, ...who, 'commit', '--no-verify', '-q', '-m', `Work of ${run.agent} that was not committed`);
}

/** Gone when clean; the branch goes with it when it holds nothing. Answers whether the folder is still there. */
export function tidyWorktree(worktree: Worktree): Promise<boolean> {
  return inTurn(worktree.repository, () => tidy(worktree));
}

async function tidy(worktree: Worktree): Promise<boolean> {
  const { repository, path, branch } = worktree;
  if (!existsSync(path)) return false;
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

export async function diffOf(worktree: Worktree): Promise<Readonly<{ stat: string; diff: string }>> {
  const { repository, path, base, branch } = worktree;
  const isThere = existsSync(path);
  const [where, range] = isThere ? [path, [base]] : [repository, [base, branch]];
  if (isThere) await git(path, 'add', '-A', '-N');
  return { stat: await git(where, 'diff', '--stat', ...range), diff: await git(where, 'diff', ...range) };
}

export type Merged = Readonly<{ merged: boolean; into: string; conflicts: readonly string[] }>;

/** Into the branch that the repository has checked out. A merge that conflicts is taken back, and says where. */
export function mergeBranch(worktree: Worktree): Promise<Merged> {
  return inTurn(worktree.repository, () => merge(worktree));
}

async function merge({ repository, path, branch }: Worktree): Promise<Merged> {
  if (existsSync(path) && (await git(path, 'status', '--porcelain')).trim() !== '')
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
