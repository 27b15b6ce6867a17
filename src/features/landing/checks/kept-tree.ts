// A folder in which checks run: put back to the exact commit before each of them, and kept, because a new one costs more.
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, withGit } from '../../../kernel/git/git.ts';
import { isDirty } from '../../../kernel/git/merge.ts';
import type { GitPlace } from '../../../kernel/git/place.ts';

export type KeptTree = Readonly<{
  /** What a check sees. It has no `.git`: what runs there reaches no repository through it. */
  files: string;
  /** The index of the hub's own, beside it. */
  own: string;
}>;

export async function keptTreeAt(folder: string): Promise<KeptTree> {
  const tree = { files: join(folder, 'tree'), own: join(folder, 'own') };
  await mkdir(tree.files, { recursive: true, mode: 0o700 });
  await mkdir(tree.own, { recursive: true, mode: 0o700 });
  return tree;
}

/**
 * All that is not of this commit is gone, all that is stands as it was committed. What a check changed is known by the time of
 * change of its file, which only the system sets. Where that does not come out clean, it is laid out anew.
 */
export async function layOut(place: GitPlace, tree: KeptTree, commit: string): Promise<void> {
  if (await tryLayOut(place, tree, commit)) return;
  await rm(tree.files, { recursive: true, force: true });
  await rm(join(tree.own, 'index'), { force: true });
  await mkdir(tree.files, { recursive: true, mode: 0o700 });
  await inTree(place, tree, commit, ({ run }) => run('read-tree', '--reset', '-u', commit));
}

async function tryLayOut(place: GitPlace, tree: KeptTree, commit: string): Promise<boolean> {
  if (!existsSync(join(tree.own, 'index'))) return false;
  return inTree(place, tree, commit, async (git) => {
    // Folders that a check made unwritable would keep what is in them.
    const steps = [
      ['read-tree', '--reset', '-u', commit],
      ['clean', '-ffdxq'],
    ];
    for (const step of steps) if ((await git.ask(...step)).code !== 0) return false;
    return !(await isDirty(git, 'no'));
  });
}

/** Did the check change a file of the tree that it judged? */
export function isChanged(place: GitPlace, tree: KeptTree, commit: string): Promise<boolean> {
  return inTree(place, tree, commit, (git) => isDirty(git, 'no'));
}

async function inTree<T>(
  place: GitPlace,
  { files, own }: KeptTree,
  ...[commit, work]: [string, (git: Git) => Promise<T>]
): Promise<T> {
  await writeFile(join(own, 'HEAD'), `${commit}\n`);
  return withGit({ place: { ...place, own, top: files }, files, index: 'own' }, work);
}
