/**
 * The root commits of a repository, by git itself: the only key that needs a process. All branches count,
 * so that a clone of an orphan branch alone still finds its repository. A repository of another user, a
 * missing git or a history that takes too long is no error, only no roots.
 */
import { withGit } from '../../kernel/git/git.ts';
import { gitPlaceOf } from '../../kernel/git/place.ts';

const MAX_MS = 60_000;
const MAX_ROOTS = 64;

export async function readRoots(folder: string, closing: AbortSignal): Promise<readonly string[]> {
  const signal = AbortSignal.any([closing, AbortSignal.timeout(MAX_MS)]);
  try {
    const place = await gitPlaceOf(folder);
    if (!place) return [];
    const output = await withGit({ place, signal }, ({ run }) => run('rev-list', '--max-parents=0', '--all'));
    const roots = output.split('\n').filter((line) => /^[0-9a-f]{40,64}$/.test(line));
    return roots.sort().slice(0, MAX_ROOTS);
  } catch {
    return [];
  }
}
