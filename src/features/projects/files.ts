// Files of the repositories that the hub knows, by letters of their paths: as they are committed, asked of git once per commit.
import { folderOf, gitPlaceOf } from '../../kernel/git/place.ts';
import { withGit } from '../../kernel/git/git.ts';
import { findCommit } from '../../kernel/git/merge.ts';
import type { KeyedProject } from './project.ts';
import type { AskedFiles, FoundFile } from './projects.ts';

/** Of a repository that has more, these are looked through. */
const MOST_PATHS = 200_000;
/** So many repositories are looked through, and so many are remembered. */
const MOST_REPOSITORIES = 12;

export function createFileFinder() {
  const known = new Map<string, Promise<readonly string[]>>();

  async function pathsIn(repository: string): Promise<readonly string[]> {
    const place = await gitPlaceOf(repository);
    if (!place) return [];
    return withGit({ place }, async (git) => {
      const commit = await findCommit(git, 'HEAD');
      if (commit === undefined) return [];
      const key = `${place.common} ${commit}`;
      const asked =
        known.get(key) ??
        git
          .run('ls-tree', '-r', '-z', '--name-only', '--full-tree', commit)
          .then((text) => text.split('\0').filter(Boolean).slice(0, MOST_PATHS));
      known.delete(key);
      known.set(key, asked);
      for (const old of [...known.keys()].slice(0, -MOST_REPOSITORIES)) known.delete(old);
      return asked;
    });
  }

  return {
    async find(projects: readonly KeyedProject[], { q, project, limit }: AskedFiles): Promise<FoundFile[]> {
      const words = q.toLowerCase().split(/\s+/).filter(Boolean);
      const repositories = projects
        .filter(({ teamId }) => project === undefined || teamId === project)
        .flatMap(({ name, keys = [] }) =>
          keys.filter(({ kind }) => kind === 'git').map(({ value }) => ({ name, folder: folderOf(value) })),
        )
        .slice(0, MOST_REPOSITORIES);
      const found = await Promise.all(
        repositories.map(async ({ name, folder }) => {
          // One that is gone, or cannot be read, has no files; the others have theirs.
          const paths = await pathsIn(folder).catch(() => []);
          return paths.flatMap((path) => {
            const score = scoreOf(path.toLowerCase(), words);
            return score === 0 ? [] : [{ score, file: { project: name, folder, path } }];
          });
        }),
      );
      return found
        .flat()
        .sort((a, b) => b.score - a.score || a.file.path.length - b.file.path.length)
        .slice(0, limit)
        .map(({ file }) => file);
    },
  };
}

/** 0 where a word is not in it; a word counts most where it begins the name of the file. */
function scoreOf(path: string, words: readonly string[]): number {
  const name = path.slice(path.lastIndexOf('/') + 1);
  let sum = 0;
  for (const word of words) {
    if (!path.includes(word)) return 0;
    sum += name.startsWith(word) ? 4 : name.includes(word) ? 3 : path.endsWith(word) ? 2 : 1;
  }
  return sum;
}
