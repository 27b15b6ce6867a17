// Where a repository is, from files alone: no git process, which would read the settings of whatever it finds.
import { existsSync } from 'node:fs';
import { readFile, realpath, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * `own`: the git folder of this checkout; `common`: that of its repository, the same unless it is a linked worktree;
 * `top`: the folder of its files, absent for a bare repository and inside of a git folder. `isOwn`: the repository knows
 * this checkout as its own, the main one or a linked worktree that it leads back to; a `.git` that merely names the
 * repository of somebody else is not.
 */
export type GitPlace = Readonly<{
  top: string | undefined;
  own: string;
  common: string;
  isOwn: boolean;
}>;

/** Undefined outside of every repository. */
export async function gitPlaceOf(folder: string): Promise<GitPlace | undefined> {
  for (let here = await realOf(resolve(folder)); ; here = dirname(here)) {
    const own = await gitFolderIn(here);
    if (own !== undefined) {
      const common = await commonFolderOf(own);
      if (own === here) return { top: undefined, own, common, isOwn: false };
      return { top: here, own, common, isOwn: await leadsBack(own, join(here, '.git')) };
    }
    if (dirname(here) === here) return undefined;
  }
}

/** The nearest folder with a `.git`, whatever that is: enough to tell that somebody means a repository. */
export function repositoryAround(folder: string): string | undefined {
  for (let here = folder; ; here = dirname(here)) {
    if (existsSync(join(here, '.git'))) return here;
    if (dirname(here) === here) return undefined;
  }
}

/** The git folder that this folder has or is. A `.git` that leads nowhere is none. */
export async function gitFolderIn(folder: string): Promise<string | undefined> {
  const entry = join(folder, '.git');
  const kind = await stat(entry).catch(() => undefined);
  if (kind?.isDirectory() && (await isGitFolder(entry))) return realOf(entry);
  if (kind?.isFile()) {
    const link = /^gitdir: (.+)/.exec(await readSmall(entry))?.[1]?.trim();
    const git = link === undefined ? undefined : resolve(folder, link);
    if (git !== undefined && (await isGitFolder(git))) return realOf(git);
  }
  return (await isGitFolder(folder)) ? folder : undefined;
}

/** A linked worktree has its own HEAD and the rest elsewhere. */
async function isGitFolder(folder: string): Promise<boolean> {
  if (!(await isThere(join(folder, 'HEAD')))) return false;
  if (await isThere(join(folder, 'commondir'))) return true;
  return (await isThere(join(folder, 'objects'))) && (await isThere(join(folder, 'refs')));
}

async function leadsBack(own: string, entry: string): Promise<boolean> {
  if (own === entry) return true;
  const back = (await readSmall(join(own, 'gitdir'))).trim();
  return back !== '' && (await realOf(dirname(resolve(own, back)))) === dirname(entry);
}

export async function commonFolderOf(own: string): Promise<string> {
  const link = (await readSmall(join(own, 'commondir'))).trim();
  return link === '' ? own : realOf(resolve(own, link));
}

/** The folder that people call the repository. */
export function folderOf(common: string): string {
  return basename(common) === '.git' ? dirname(common) : common;
}

/** Links are followed, so that one folder has one name; a folder that is gone keeps the name it was given. */
export async function realOf(path: string): Promise<string> {
  return realpath(path).catch(() => path);
}

export async function isThere(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

const MOST_READ = 1024 * 1024;

/** Empty when there is nothing to read, whatever the reason: then this is not what tells us. */
export async function readSmall(path: string): Promise<string> {
  try {
    const found = await stat(path);
    return found.isFile() && found.size <= MOST_READ ? await readFile(path, 'utf8') : '';
  } catch {
    return '';
  }
}
