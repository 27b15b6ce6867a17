// The repository a folder is in, from files alone: no git process, which costs more than the whole start of a stdio
// server, refuses folders of doubtful ownership and may not be installed. What is found is git's own answer.
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

export type Repository = Readonly<{
  /** What all its linked worktrees share. */
  common: string;
  /** The top of the working copy the folder is in; a bare repository, and a folder inside of `.git`, has none. */
  top: string | undefined;
  /**
   * The repository knows this working copy as its own: the main one, or a linked worktree that it leads back to. A
   * `.git` that merely names the repository of somebody else is not.
   */
  isOwn: boolean;
}>;

const MAX_FILE = 1024 * 1024;

/** A `.git` that leads nowhere is none, and the search goes on above it. `start` has its links resolved. */
export async function findRepository(start: string): Promise<Repository | undefined> {
  for (let folder = start; ; folder = dirname(folder)) {
    const git = await gitFolderIn(folder);
    if (git !== undefined) {
      const common = await commonFolder(git);
      if (git === folder) return { common, top: undefined, isOwn: false };
      return { common, top: folder, isOwn: await isOwnTree(git, join(folder, '.git')) };
    }
    if (dirname(folder) === folder) return undefined;
  }
}

/** The git folder of what stands here: its `.git`, where that one leads, or the folder itself where it is one. */
export async function gitFolderIn(folder: string): Promise<string | undefined> {
  const entry = join(folder, '.git');
  const kind = await stat(entry).catch(() => undefined);
  if (kind?.isDirectory() && (await isGitFolder(entry))) return real(entry);
  if (kind?.isFile()) {
    const link = /^gitdir: (.+)/.exec(await readSmallFile(entry))?.[1]?.trim();
    const git = link === undefined ? undefined : resolve(folder, link);
    if (git !== undefined && (await isGitFolder(git))) return real(git);
  }
  return (await isGitFolder(folder)) ? folder : undefined;
}

/** A linked worktree has its own HEAD and the rest elsewhere. */
async function isGitFolder(folder: string): Promise<boolean> {
  if (!(await exists(join(folder, 'HEAD')))) return false;
  if (await exists(join(folder, 'commondir'))) return true;
  return (await exists(join(folder, 'objects'))) && (await exists(join(folder, 'refs')));
}

async function isOwnTree(git: string, entry: string): Promise<boolean> {
  if (git === entry) return true;
  const back = (await readSmallFile(join(git, 'gitdir'))).trim();
  return back !== '' && (await real(dirname(resolve(git, back)))) === dirname(entry);
}

export async function commonFolder(git: string): Promise<string> {
  const link = (await readSmallFile(join(git, 'commondir'))).trim();
  return link === '' ? git : real(resolve(git, link));
}

/** Where the working copy of a common git folder begins, as far as its name tells. */
export function mainTop(common: string): string {
  return basename(common) === '.git' ? dirname(common) : common;
}

/** Links are followed, so that one folder has one name; a folder that is gone keeps the name it was given. */
export async function real(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

export async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

/** Empty when there is nothing to read, whatever the reason: then this is not what tells us. */
export async function readSmallFile(path: string): Promise<string> {
  try {
    const { size } = await stat(path);
    return size > MAX_FILE ? '' : await readFile(path, 'utf8');
  } catch {
    return '';
  }
}
