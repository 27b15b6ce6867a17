// Where the hooks of a repository lie. `git config` reads and prints; it starts nothing.
import { isAbsolute, join, resolve } from 'node:path';
import type { GitPlace } from './place.ts';
import { failed, startGit } from './process.ts';

export type HooksFolder = Readonly<{
  folder: string;
  /** `core.hooksPath` says so; the usual one is shared by all worktrees of the repository. */
  isNamed: boolean;
}>;

export async function hooksFolderOf(place: GitPlace, top: string): Promise<HooksFolder> {
  const args = ['config', '--type=path', '--get', 'core.hooksPath'];
  const end = await startGit({ cwd: top, args, env: ownEnvironment(place) });
  if (end.code > 1) throw failed(args, end);
  const named = end.stdout.replace(/\n$/, '');
  if (named === '') return { folder: join(place.common, 'hooks'), isNamed: false };
  return { folder: isAbsolute(named) ? named : resolve(top, named), isNamed: true };
}

/** The files that a commit changes, from the index that git made for it. Of a merge only what no side had. */
export async function committedPaths(
  place: GitPlace,
  top: string,
  index: string | undefined,
): Promise<string[]> {
  const env = {
    ...ownEnvironment(place),
    GIT_WORK_TREE: top,
    ...(index !== undefined && { GIT_INDEX_FILE: isAbsolute(index) ? index : resolve(top, index) }),
  };
  const changedFrom = async (commit: string | undefined) => {
    const args = [
      'diff',
      '--cached',
      '--name-only',
      '-z',
      '--no-renames',
      '--no-ext-diff',
      '--ignore-submodules',
    ];
    const end = await startGit({ cwd: top, args: [...args, ...(commit === undefined ? [] : [commit])], env });
    if (end.code !== 0) throw failed(args, end);
    return end.stdout.split('\0').filter(Boolean);
  };
  const paths = await changedFrom(undefined);
  const merging = await startGit({ cwd: top, args: ['rev-parse', '-q', '--verify', 'MERGE_HEAD'], env });
  if (merging.code !== 0) return paths;
  const theirs = new Set(await changedFrom('MERGE_HEAD'));
  return paths.filter((path) => theirs.has(path));
}

function ownEnvironment({ own }: GitPlace): Record<string, string | undefined> {
  const { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM } = process.env;
  return { HOME, XDG_CONFIG_HOME, GIT_CONFIG_GLOBAL, GIT_CONFIG_SYSTEM, GIT_CONFIG_NOSYSTEM, GIT_DIR: own };
}
