import { sha256 } from '../../../kernel/digest.ts';
import { existsSync } from 'node:fs';
import { copyFile, cp, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { type Git, headOf, PLAIN_DIFF, withGit } from '../../../kernel/git/git.ts';
import type { Run, Worktree } from '../run.ts';
import { addTree, dropBranch, dropEmptyBranch, removeTree } from './linked-tree.ts';
import { isDirty } from '../../../kernel/git/merge.ts';
import { inOwnTree, ownTreeOf } from './own-tree.ts';
import { type Checkout, checkoutOf, inTurn } from '../../../kernel/git/repository.ts';

/**
 * A checkout of its own for each run, on a branch of its own. The branch keeps the work; the folder goes when
 * nothing is left in it.
 */
export async function planWorktree(
  home: string,
  repository: string,
  name: Readonly<{ task: string; run: string }>,
): Promise<Worktree> {
  const look = ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}'];
  const base = (
    await withGit({ place: await checkoutOf(repository) }, ({ ask }) => ask(...look))
  ).stdout.trim();
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
  const { repository, path, branch } = worktree;
  if (existsSync(path)) {
    const there = await ownTreeOf(worktree);
    if (there && (await headOf(there.own).catch(() => '')) === `refs/heads/${branch}`) return false;
    throw new HubError('conflict', `${path} is in use already.`, {
      hint: 'Move what is there away, and start the run again.',
    });
  }
  await addTree(worktree);
  await copyIncluded(repository, path);
  return true;
}

/**
 * `.worktreeinclude` names ignored files that a checkout needs all the same, in the words of .gitignore. git
 * reads both.
 */
async function copyIncluded(repository: string, path: string): Promise<void> {
  const list = join(repository, '.worktreeinclude');
  if (!existsSync(list)) return;
  const place = await checkoutOf(repository);
  const [wanted, ignored] = await withGit({ place, files: place.top, index: 'own' }, ({ run }) =>
    Promise.all(
      [`--exclude-from=${list}`, '--exclude-standard'].map(async (rules) =>
        (await run('ls-files', '--others', '--ignored', rules, '-z')).split('\0').filter(Boolean),
      ),
    ),
  );
  const isIgnored = new Set(ignored);
  for (const file of wanted!.filter((each) => isIgnored.has(each))) {
    await cp(join(repository, file), join(path, file), { recursive: true, verbatimSymlinks: true });
  }
}

/** What a run left: its commits and how much they change. `isDirty`: there is more that nobody committed. */
export type Review = Readonly<{
  commits: readonly string[];
  stat: string;
  isDirty: boolean;
  /** Its work is done when it landed. */
  lands?: boolean;
}>;

export async function reviewWorktree(worktree: Worktree): Promise<Review> {
  return inOwnTree(worktree, (git) => review(git, worktree));
}

async function review(git: Git, { base }: Worktree): Promise<Review> {
  return { ...(await reviewRange(git, `${base}..HEAD`)), isDirty: await isDirty(git) };
}

async function reviewRange(git: Git, range: string): Promise<Pick<Review, 'commits' | 'stat'>> {
  const log = await git.run('log', '--format=%h %s', '-n', '50', range);
  const stat = await git.run('diff', ...PLAIN_DIFF, '--shortstat', range);
  return { commits: log.split('\n').filter(Boolean), stat: stat.trim() };
}

/** Of work that was done on another machine: its branch is all there is. */
export async function reviewBranch({ repository, branch, base }: Worktree): Promise<Review | undefined> {
  const ref = `refs/heads/${branch}`;
  return withGit({ place: await checkoutOf(repository) }, async (git) => {
    if ((await git.ask('rev-parse', '--verify', '--quiet', ref)).code !== 0) return undefined;
    return { ...(await reviewRange(git, `${base}..${ref}`)), isDirty: false };
  });
}

/** Work that its agent did not commit is committed for it: a branch that is done holds everything. */
export function commitRest(worktree: Worktree, run: Run): Promise<void> {
  return inTurn(worktree.repository, () => inOwnTree(worktree, (git, place) => commitAll(git, place, run)));
}

async function commitAll(git: Git, place: Checkout, { agent }: Run): Promise<void> {
  const who = ['-c', `user.name=${agent}`, '-c', `user.email=${agent}@holdfast.invalid`];
  const about = `Work of ${agent} that was not committed`;
  await git.run('add', '-A');
  const tree = (await git.run('write-tree')).trim();
  const parent = (await git.run('rev-parse', '--verify', 'HEAD')).trim();
  const commit = (await git.run(...who, 'commit-tree', tree, '-p', parent, '-m', about)).trim();
  await git.run(...who, 'update-ref', '-m', `commit: ${about}`, 'HEAD', commit, parent);
  // On no branch: ours is a copy of what is checked out.
  if (!git.head.startsWith('refs/')) await writeFile(join(place.own, 'HEAD'), `${commit}\n`);
  await putIndex(git.index, join(place.own, 'index'));
}

/**
 * Under the lock that git itself takes. Whoever holds it sees the work as changes that are committed already.
 */
async function putIndex(from: string, to: string): Promise<void> {
  const lock = `${to}.lock`;
  try {
    await writeFile(lock, '', { flag: 'wx' });
  } catch {
    return;
  }
  await copyFile(from, lock);
  await rename(lock, to);
}

/**
 * Gone when clean; the branch goes with it when it holds nothing. Answers whether the folder is still there.
 */
export function tidyWorktree(worktree: Worktree): Promise<boolean> {
  return inTurn(worktree.repository, () => tidy(worktree));
}

async function tidy(worktree: Worktree): Promise<boolean> {
  if (!existsSync(worktree.path)) return false;
  const tree = await ownTreeOf(worktree);
  if (tree === undefined) return true;
  if ((await reviewWorktree(worktree)).isDirty) return true;
  // Ignored files, such as installed packages, go with it; nobody's work is among them.
  await removeTree(tree);
  await dropEmptyBranch(worktree);
  return false;
}

/** An attempt that nobody picked: its folder goes as it is, and its branch with it. */
export function dropAttempt(worktree: Worktree): Promise<void> {
  return inTurn(worktree.repository, async () => {
    if (!existsSync(worktree.repository)) return;
    const tree = await ownTreeOf(worktree);
    if (tree) await removeTree(tree);
    await dropBranch(worktree);
  });
}

type Difference = Readonly<{ stat: string; diff: string }>;

/** In turn: half of a worktree that is being taken away would look like a change. */
export function diffOf(worktree: Worktree): Promise<Difference> {
  return inTurn(worktree.repository, () => diff(worktree));
}

async function diff(worktree: Worktree): Promise<Difference> {
  const { repository, path, base, branch } = worktree;
  if (!existsSync(path))
    return withGit({ place: await checkoutOf(repository) }, (git) =>
      show(git, [base, `refs/heads/${branch}`]),
    );
  return inOwnTree(worktree, async (git) => {
    await git.run('add', '-A', '-N');
    return show(git, [base]);
  });
}

async function show({ run }: Git, range: readonly string[]): Promise<Difference> {
  return {
    stat: await run('diff', ...PLAIN_DIFF, '--stat', ...range, '--'),
    diff: await run('diff', ...PLAIN_DIFF, ...range, '--'),
  };
}
