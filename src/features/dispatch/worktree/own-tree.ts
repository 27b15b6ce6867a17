import { lstat, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { type Git, withGit } from '../../../kernel/git/git.ts';
import type { Worktree } from '../run.ts';
import { type Checkout, checkoutOf } from '../../../kernel/git/repository.ts';

/**
 * git in the folder of a run, on the repository it was made from, with an index of its own. Its agent may
 * write there whatever it likes, a repository of its own in place of ours included: then nothing is done.
 */
export async function inOwnTree<T>(
  worktree: Worktree,
  work: (git: Git, place: Checkout) => Promise<T>,
): Promise<T> {
  const place = await ownTreeOf(worktree);
  if (place === undefined) throw replaced(worktree.path);
  return withGit({ place, files: place.top, index: 'copy' }, (git) => work(git, place));
}

/** The worktree as its repository knows it; undefined when what lies there now is another one. */
export async function ownTreeOf({ repository, path }: Worktree): Promise<Checkout | undefined> {
  const { common } = await checkoutOf(repository);
  try {
    const entry = join(path, '.git');
    if (!(await lstat(entry)).isFile()) return undefined;
    const [, named] = /^gitdir: (.+)\n?$/.exec(await readFile(entry, 'utf8')) ?? [];
    if (named === undefined) return undefined;
    const own = await realpath(named);
    if (dirname(own) !== join(common, 'worktrees')) return undefined;
    const back = (await readFile(join(own, 'gitdir'), 'utf8')).trim();
    const top = await realpath(path);
    return (await realpath(dirname(back))) === top ? { top, own, common, isOwn: true } : undefined;
  } catch {
    return undefined;
  }
}

function replaced(path: string): HubError {
  return new HubError('conflict', `${path} is no longer the worktree that was made for this run.`, {
    hint: 'Something has put another repository in its place. Look at it before you run git there.',
  });
}
