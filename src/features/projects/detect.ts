/**
 * From a working folder to what its project is known by, from files alone: no git process, which costs more
 * than the whole start of a stdio server, refuses folders of doubtful ownership and may not be installed.
 * What is found is git's own answer:
 *
 * - linked worktrees share the common git folder of their repository, so they are it;
 * - a submodule has a git folder of its own, so it is a project of its own, and one with every clone of
 *   that library;
 * - a bare repository is its own git folder; a folder inside of `.git` belongs to that repository;
 * - a `.git` that leads nowhere is none, and the search goes on above it;
 * - a folder in no repository is known by its real path; but where clients start that have no folder, the
 *   home of a person and the root of the disk, is no project.
 *
 * A repository that was cloned from a folder of this machine has that folder as its remote, and the two
 * look for each other (`remote` and `git` with the same value), whichever is seen first. Nobody leaves a
 * git folder that is not its own as a key, so no line in a `.git/config` takes a repository out of the
 * project that its own folder is known for.
 */
import { sha256 } from '../../kernel/digest.ts';
import {
  commonFolderOf,
  folderOf,
  gitFolderIn,
  gitPlaceOf,
  isThere,
  readSmall,
  realOf,
} from '../../kernel/git/place.ts';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { originOf } from './git-config.ts';
import type { ProjectKey, Sighting } from './project.ts';
import { readRemote } from './rules.ts';

export type Detected = Sighting &
  Readonly<{
    /**
     * Where git may be asked for root commits: not without a repository, and never in a shallow clone,
     * whose roots are cut off.
     */
    rootsAt?: string;
  }>;

/** An index row of PostgreSQL ends at 2,704 bytes; longer values are known by their digest. */
const MAX_VALUE = 1_000;
/** A clone of a clone of a clone; then the chain is not worth following. */
const MAX_CHAIN = 4;

export async function detect(folder: string): Promise<Detected> {
  const here = await realOf(resolve(folder));
  const git = await gitPlaceOf(here);
  if (git === undefined) {
    if (here === dirname(here) || here === (await realOf(homedir()))) return { name: '', keys: [], own: [] };
    const path = keyOf('path', here);
    // What was a repository until its .git was removed is still the same project.
    return { name: basename(here), keys: [path, keyOf('git', join(here, '.git'))], own: [path] };
  }
  const { common } = git;
  const top = folderOf(common);
  const { own, others, name } = await remoteKeys(common, MAX_CHAIN);
  const gitKey = keyOf('git', common);
  return {
    name: name ?? (basename(top).replace(/\.git$/, '') || 'root'),
    // The path finds what was a project before `git init`.
    keys: [gitKey, ...own, ...others, keyOf('remote', common), keyOf('path', top)],
    own: [gitKey, ...own],
    ...(!(await isThere(join(common, 'shallow'))) && { rootsAt: here }),
  };
}

/** Root commits come second: see the order in `rules.ts`. */
export function withRoots(sighting: Sighting, roots: readonly string[]): Sighting {
  const [first, ...rest] = sighting.keys;
  const found = rootKeys(roots);
  return { ...sighting, keys: [first!, ...found, ...rest], own: [...sighting.own, ...found] };
}

export function rootKeys(roots: readonly string[]): ProjectKey[] {
  return roots.map((root) => keyOf('root', root));
}

function keyOf(kind: ProjectKey['kind'], value: string): ProjectKey {
  const isLong = Buffer.byteLength(value) > MAX_VALUE;
  return {
    kind,
    value: isLong ? `sha256:${sha256(value)}` : value.toWellFormed(),
  };
}

type Origin = Readonly<{ own: ProjectKey[]; others: ProjectKey[]; name?: string }>;

/**
 * `own` is where this repository came from and where that one did, as far as it lies on this machine;
 * `others` are those folders.
 */
async function remoteKeys(common: string, depth: number): Promise<Origin> {
  const url = originOf(await readSmall(join(common, 'config')));
  const remote = url === undefined ? undefined : readRemote(url);
  if (remote === undefined) return { own: [], others: [] };
  if (remote.kind === 'network')
    return { own: [keyOf('remote', remote.value)], others: [], name: basename(remote.value) };
  const from = await realOf(resolve(folderOf(common), remote.value));
  const git = (await gitFolderIn(from)) ?? (await gitFolderIn(`${from}.git`));
  const origin = git === undefined ? from : await commonFolderOf(git);
  const own = [keyOf('remote', origin)];
  const others = [keyOf('git', origin)];
  if (git === undefined || depth === 0 || origin === common) return { own, others };
  const above = await remoteKeys(origin, depth - 1);
  return { ...above, own: [...own, ...above.own], others: [...others, ...above.others] };
}
