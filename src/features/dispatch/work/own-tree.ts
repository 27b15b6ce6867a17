import { lstat, readFile, realpath } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import type { Worktree } from '../run.ts';
import { git } from './git.ts';

/**
 * git in the folder of a run, on the repository it was made from. Its agent may write there whatever it likes, a
 * repository of its own in place of ours included, whose settings would name programs to run: git is told where
 * the repository is and does not look for it.
 */
export async function gitInTree(worktree: Worktree, ...args: readonly string[]): Promise<string> {
  const folder = await gitFolderOf(worktree);
  if (folder === undefined) throw replaced(worktree.path);
  return git(worktree.path, `--git-dir=${folder}`, `--work-tree=${worktree.path}`, ...args);
}

export async function isOwnTree(worktree: Worktree): Promise<boolean> {
  return (await gitFolderOf(worktree)) !== undefined;
}

/** What the repository keeps about this worktree; undefined when what lies there now is another one. */
async function gitFolderOf({ repository, path }: Worktree): Promise<string | undefined> {
  try {
    const entry = join(path, '.git');
    if (!(await lstat(entry)).isFile()) return undefined;
    const [, named] = /^gitdir: (.+)\n?$/.exec(await readFile(entry, 'utf8')) ?? [];
    if (named === undefined) return undefined;
    const common = (await git(repository, 'rev-parse', '--path-format=absolute', '--git-common-dir')).trim();
    const folder = await realpath(named);
    if (dirname(folder) !== join(await realpath(common), 'worktrees')) return undefined;
    const back = (await readFile(join(folder, 'gitdir'), 'utf8')).trim();
    return (await realpath(dirname(back))) === (await realpath(path)) ? folder : undefined;
  } catch (error) {
    if (error instanceof HubError) throw error;
    return undefined;
  }
}

function replaced(path: string): HubError {
  return new HubError('conflict', `${path} is no longer the worktree that was made for this run.`, {
    hint: 'Something has put another repository in its place. Look at it before you run git there.',
  });
}
