// A folder in which checks run: put back to the exact commit before each of them, and kept, because a new one costs more.
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Git, withGit } from '../../../kernel/git/git.ts';
import { isDirty } from '../../../kernel/git/merge.ts';
import { type GitPlace, readSmall } from '../../../kernel/git/place.ts';

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
  const before = await laidOut(tree);
  const isTidy = tidied.delete(tree.files);
  if (before !== undefined) {
    const isLaid = await inTree(place, tree, (git) => goOver(git, { before, commit, isTidy }));
    if (isLaid) return markAt(tree, commit);
  }
  await rm(tree.files, { recursive: true, force: true });
  await rm(join(tree.own, 'index'), { force: true });
  await mkdir(tree.files, { recursive: true, mode: 0o700 });
  // Until it stands it is of no commit.
  await markAt(tree, commit);
  await inTree(place, tree, ({ run }) => run('read-tree', '--reset', '-u', commit));
}

/** Trees that were looked at, and in which nothing ran since. */
const tidied = new Set<string>();

/** The look of the next `layOut`, taken while there is something else to wait for. */
export async function lookAhead(place: GitPlace, tree: KeptTree): Promise<void> {
  if ((await laidOut(tree)) !== undefined && (await inTree(place, tree, isTidied))) tidied.add(tree.files);
}

/** The commit whose files stand there. */
async function laidOut({ own }: KeptTree): Promise<string | undefined> {
  const at = (await readSmall(join(own, 'HEAD'))).trim();
  return at !== '' && existsSync(join(own, 'index')) ? at : undefined;
}

/** What is not tracked goes; is all that is tracked as it was? Folders that a check made unwritable keep what is in them. */
async function isTidied(git: Git): Promise<boolean> {
  const [cleaned, isTouched] = await Promise.all([
    git.ask('clean', '-ffdxq'),
    isDirty(git, 'no').catch(() => true),
  ]);
  return cleaned.code === 0 && !isTouched;
}

type Going = Readonly<{ before: string; commit: string; isTidy: boolean }>;

/** Where nothing was touched only the few files that differ have to be written. */
async function goOver(git: Git, { before, commit, isTidy }: Going): Promise<boolean> {
  if (isTidy || (await isTidied(git)))
    return before === commit || (await git.ask('read-tree', '-m', '-u', before, commit)).code === 0;
  return (await git.ask('read-tree', '--reset', '-u', commit)).code === 0 && isSettled(git, commit);
}

/** What had to be put back is looked at once more. */
async function isSettled(git: Git, commit: string): Promise<boolean> {
  const [cleaned, compared] = await Promise.all([
    git.ask('clean', '-ffdxq'),
    git.ask('diff-index', '--quiet', commit, '--'),
  ]);
  return cleaned.code === 0 && compared.code === 0;
}

/** Did the check change a file of the tree that it judged? */
export function isChanged(place: GitPlace, tree: KeptTree): Promise<boolean> {
  return inTree(place, tree, (git) => isDirty(git, 'no'));
}

const markAt = ({ own }: KeptTree, commit: string): Promise<void> =>
  writeFile(join(own, 'HEAD'), `${commit}\n`);

function inTree<T>(place: GitPlace, { files, own }: KeptTree, work: (git: Git) => Promise<T>): Promise<T> {
  return withGit({ place: { ...place, own, top: files }, files, index: 'own' }, work);
}
