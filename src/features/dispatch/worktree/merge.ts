// Merges the branch of a run into the one that its repository has checked out, without a program of the
// repository.
import { existsSync } from 'node:fs';
import { HubError } from '../../../kernel/errors.ts';
import { type Git, withGit } from '../../../kernel/git/git.ts';
import type { Worktree } from '../run.ts';
import { inOwnTree } from './own-tree.ts';
import {
  commitAt,
  isAncestor,
  isDirty,
  isUnderWay,
  mergeTrees,
  moveWithFiles,
  whoOf,
} from '../../../kernel/git/merge.ts';
import { type Checkout, checkoutOf, inTurn } from '../../../kernel/git/repository.ts';

/** What somebody looked at: the commit of the branch, and what it was to go into. */
export type SeenMerge = Readonly<{ head?: string | undefined; into?: string | undefined }>;
export type Merged = Readonly<{ merged: boolean; into: string; conflicts: readonly string[] }>;

/** A merge that conflicts changes nothing, and says where. */
export function mergeBranch(worktree: Worktree, seen: SeenMerge = {}): Promise<Merged> {
  return inTurn(worktree.repository, () => merge(worktree, seen));
}

async function merge(worktree: Worktree, seen: SeenMerge): Promise<Merged> {
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
    requireAsSeen(seen, { branch, head: theirs, into });
    if (await isAncestor(git, theirs, ours)) return { merged: true, into, conflicts: [] };
    const { tree, conflicts } = await mergeTrees(git, { ours, theirs });
    if (conflicts.length > 0) return { merged: false, into, conflicts };
    const about = `Merge branch '${branch}'${/^(?:main|master)$/.test(into) ? '' : ` into ${into}`}`;
    const commit = await git.run(...whoOf(git), 'commit-tree', tree, '-p', ours, '-p', theirs, '-m', about);
    await moveWithFiles(git, { ref: git.head, from: ours, to: commit.trim(), about });
    return { merged: true, into, conflicts: [] };
  });
}

function branchOf({ head }: Git, repository: string): string {
  if (head.startsWith('refs/heads/')) return head.slice('refs/heads/'.length);
  throw new HubError('conflict', `${repository} has no branch checked out.`, {
    hint: 'Check out the branch that it is to be merged into.',
  });
}

type Found = Readonly<{ branch: string; head: string; into: string }>;

/** What came since was not let through by whoever looked before. */
function requireAsSeen(seen: SeenMerge, { branch, head, into }: Found): void {
  const hint = 'Look at what is new, and decide then.';
  if (seen.head !== undefined && seen.head !== head)
    throw new HubError('conflict', `${branch} is not where it was when you looked at it.`, { branch, hint });
  if (seen.into !== undefined && seen.into !== into)
    throw new HubError('conflict', `${into} is checked out now, and no longer ${seen.into}.`, { into, hint });
}

function requireSettled(place: Checkout): void {
  if (!isUnderWay(place)) return;
  throw new HubError('conflict', `${place.top} is in the middle of a merge or a rebase.`, {
    hint: 'Finish it or take it back first.',
  });
}

function uncommitted(folder: string, hint: string): HubError {
  return new HubError('conflict', `${folder} has changes that are not committed.`, { hint });
}
