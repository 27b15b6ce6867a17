// Where a path of a request really leads: links are followed inside the folder that the call works in and nowhere else.
// What lies outside is told by its name alone, and nothing outside is looked at.
import { lstat, readlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isInside } from '../../../kernel/folders.ts';
import { nameBelow } from '../../../kernel/workspace.ts';

/** `unsure`: what it means is known only when it runs. */
type FileState = 'file' | 'folder' | 'other' | 'missing' | 'outside' | 'unsure';

export type TouchedFile = Readonly<{
  /** As the request has it. */
  given: string;
  /** Where it leads: relative to the folder with forward slashes, absolute outside of it. */
  leadsTo: string;
  state: FileState;
}>;

/** Where a call works, and where its relative paths start; undefined where that is not known. */
export type WorkFolder = Readonly<{ root: string; base: string | undefined }>;

const MOST_HOPS = 40;
const LONGEST = 4_096;
/** What a shell makes of these is known only when it runs. */
const EXPANDED = /[$`*?[\]{}]/;

export async function lookAt(given: string, { root, base }: WorkFolder): Promise<TouchedFile> {
  const isHome = /^~(?:[\w-]*)(?:\/|$)/.test(given);
  if (isHome) return { given, leadsTo: given, state: 'outside' };
  const isUnsure = given.length > LONGEST || given.includes('\0') || EXPANDED.test(given);
  if (isUnsure || (base === undefined && !isAbsolute(given)))
    return { given, leadsTo: given, state: 'unsure' };
  return { given, ...(await follow(root, resolve(base ?? root, given))) };
}

type Led = Readonly<{ leadsTo: string; state: FileState }>;

/** Part by part from the root: the first link leads on from where it stands, and one that leads out ends the looking. */
async function follow(root: string, wanted: string, hops = 0): Promise<Led> {
  if (!isInside(root, wanted)) return { leadsTo: wanted, state: 'outside' };
  if (hops > MOST_HOPS) return { leadsTo: nameBelow(root, wanted), state: 'unsure' };
  const parts = relative(root, wanted).split(sep).filter(Boolean);
  let at = root;
  for (const [index, part] of parts.entries()) {
    at = join(at, part);
    const found = await lstat(at).catch(() => undefined);
    if (!found) return { leadsTo: nameBelow(root, wanted), state: 'missing' };
    if (!found.isSymbolicLink()) continue;
    const target = await readlink(at).catch(() => undefined);
    if (target === undefined) return { leadsTo: nameBelow(root, wanted), state: 'unsure' };
    return follow(root, join(resolve(dirname(at), target), ...parts.slice(index + 1)), hops + 1);
  }
  const last = await lstat(wanted).catch(() => undefined);
  const state = last?.isFile() ? 'file' : last?.isDirectory() ? 'folder' : last ? 'other' : 'missing';
  return { leadsTo: nameBelow(root, wanted), state };
}
