// The repository of a queue: any that git knows, one without files of its own included.
import { HubError } from '../../kernel/errors.ts';
import { type Git, withGit } from '../../kernel/git/git.ts';
import { createHeadReader } from '../../kernel/git/heads.ts';
import { type GitPlace, gitPlaceOf } from '../../kernel/git/place.ts';

export async function repositoryAt(repository: string): Promise<GitPlace> {
  const place = await gitPlaceOf(repository);
  if (place) return place;
  throw new HubError('unavailable', `${repository} is no git repository.`, { retryable: false });
}

export async function inRepository<T>(repository: string, work: (git: Git) => Promise<T>): Promise<T> {
  return withGit({ place: await repositoryAt(repository) }, work);
}

/** The same for what is only tried: nothing of it stays in the repository. */
export async function besideRepository<T>(repository: string, work: (git: Git) => Promise<T>): Promise<T> {
  return withGit({ place: await repositoryAt(repository), objects: 'aside' }, work);
}

/** The commit that a branch is at; undefined where it is not there, has none yet, or is no name of a branch. */
export async function branchAt({ common }: Pick<Git, 'common'>, branch: string): Promise<string | undefined> {
  return (await heads.read(common, [branch])).get(branch);
}

const heads = createHeadReader();

/** Every path that differs between two commits; a file that moved is two of them. */
export async function changedBetween({ run }: Git, from: string, to: string): Promise<string[]> {
  const changed = await run('diff-tree', '-r', '--name-only', '-z', '--no-renames', from, to, '--');
  return changed.split('\0').filter(Boolean);
}

/** What a branch changes since it left the target; all that differs where they have nothing in common. */
export async function changedSince(git: Git, target: string, head: string): Promise<string[]> {
  const names = ['-r', '--name-only', '-z', '--no-renames'];
  const { code, stdout } = await git.ask('diff-tree', ...names, '--merge-base', target, head, '--');
  // Several bases, or none.
  if (code !== 0) return changedBetween(git, await baseOf(git, target, head), head);
  return stdout.split('\0').filter(Boolean);
}

async function baseOf({ ask }: Git, target: string, head: string): Promise<string> {
  const { code, stdout } = await ask('merge-base', target, head);
  return code === 0 ? stdout.trim() : target;
}
