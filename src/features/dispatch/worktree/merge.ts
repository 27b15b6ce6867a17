// Merges the branch of a run into the one that its repository has checked out, without a program of the
// repository.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { type Git, withGit } from '../../../kernel/git/git.ts';
import type { Worktree } from '../run.ts';
import { inOwnTree } from './own-tree.ts';
import { type Checkout, checkoutOf, inTurn } from './repository.ts';

export type Merged = Readonly<{ merged: boolean; into: string; conflicts: readonly string[] }>;

/** A merge that conflicts changes nothing, and says where. */
export function mergeBranch(worktree: Worktree): Promise<Merged> {
  return inTurn(worktree.repository, () => merge(worktree));
}

async function merge(worktree: Worktree): Promise<Merged> {
  const { repository, path, branch } = worktree;
  if (existsSync(path) && (await inOwnTree(worktree, isDirty)))
    throw uncommitted(path, 'Commit or drop them there first.');
  const place = await checkoutOf(repository);
  requireSettled(place);
  return withGit({ place, files: place.top, index: 'own', lineEnds: 'person' }, async (git) => {
    await git.ask('update-index', '-q', '--ignore-submodules', '--refresh');
    if (await isDirty(git, 'no')) throw uncommitted(repository, 'Commit or stash them first.');
    const into = branchOf(git, repository);
    const [ours, theirs] = [await commitAt(git, 'HEAD'), await commitAt(git, `refs/heads/${branch}`)];
    if ((await git.ask('merge-base', '--is-ancestor', theirs, ours)).code === 0)
      return { merged: true, into, conflicts: [] };
    const { tree, conflicts } = await mergeTrees(git, ours, theirs);
    if (conflicts.length > 0) return { merged: false, into, conflicts };
    const about = `Merge branch '${branch}'${/^(?:main|master)$/.test(into) ? '' : ` into ${into}`}`;
    const commit = await git.run(...whoOf(git), 'commit-tree', tree, '-p', ours, '-p', theirs, '-m', about);
    await moveTo(git, { ref: git.head, ours, commit: commit.trim(), about });
    return { merged: true, into, conflicts: [] };
  });
}

/** Submodules are repositories of their own: nobody looks into them. */
export async function isDirty({ run }: Git, untracked: unknown = 'normal'): Promise<boolean> {
  const which = `--untracked-files=${untracked === 'no' ? 'no' : 'normal'}`;
  return (await run('status', '--porcelain', '--ignore-submodules=all', which)).trim() !== '';
}

/** The person, as they call themselves here. */
function whoOf({ settings: { name = 'Holdfast', email = 'holdfast@localhost.invalid' } }: Git): string[] {
  return ['-c', `user.name=${name}`, '-c', `user.email=${email}`];
}

async function commitAt({ run }: Git, name: string): Promise<string> {
  return (await run('rev-parse', '--verify', '--end-of-options', `${name}^{commit}`)).trim();
}

type Trees = Readonly<{ tree: string; conflicts: readonly string[] }>;

async function mergeTrees({ ask }: Git, ours: string, theirs: string): Promise<Trees> {
  const args = ['merge-tree', '--write-tree', '--name-only', '--no-messages', '-z', ours, theirs];
  const { code, stdout, stderr } = await ask(...args);
  if (code > 1)
    throw new HubError('unavailable', `git could not merge: ${stderr.trim().slice(0, 300)}`, {
      retryable: false,
      hint: 'Merging needs git 2.38 or newer.',
    });
  const [tree = '', ...files] = stdout.split('\0').filter(Boolean);
  return { tree, conflicts: code === 0 ? [] : [...new Set(files)] };
}

type Move = Readonly<{ ref: string; ours: string; commit: string; about: string }>;

/** The branch and its checkout move together; where the files cannot follow, neither does. */
async function moveTo({ run }: Git, { ref, ours, commit, about }: Move): Promise<void> {
  const follow = ['read-tree', '-m', '-u'];
  await run(...follow, '-n', ours, commit);
  await run('update-ref', '-m', about, ref, commit, ours);
  try {
    await run(...follow, ours, commit);
  } catch (error) {
    await run('update-ref', '-m', 'merge: taken back', ref, ours, commit);
    throw error;
  }
}

function branchOf({ head }: Git, repository: string): string {
  if (head.startsWith('refs/heads/')) return head.slice('refs/heads/'.length);
  throw new HubError('conflict', `${repository} has no branch checked out.`, {
    hint: 'Check out the branch that it is to be merged into.',
  });
}

const UNDER_WAY = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply'];

function requireSettled({ own, top }: Checkout): void {
  if (!UNDER_WAY.some((name) => existsSync(join(own, name)))) return;
  throw new HubError('conflict', `${top} is in the middle of a merge or a rebase.`, {
    hint: 'Finish it or take it back first.',
  });
}

function uncommitted(folder: string, hint: string): HubError {
  return new HubError('conflict', `${folder} has changes that are not committed.`, { hint });
}
