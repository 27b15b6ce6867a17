// The files of the vault on their way. Links are neither read nor followed: a folder in a file that leaves the machine,
// or comes from another one, reaches nothing outside itself.
import { closeSync, fsyncSync, lstatSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { cannotWrite } from '../../kernel/cannot-write.ts';
import { HubError } from '../../kernel/errors.ts';
import { makeFolders } from '../../kernel/folders.ts';

const LARGEST = 128 << 20;

/** What the hub itself puts into a vault that nobody has used yet. */
const OF_A_FRESH_VAULT = new Set(['.clawbrain', 'STRATEGY.md']);

/** Every plain file below, by its path with forward slashes, in the order of names. None when there is no folder. */
export function* filesBelow(root: string, below = ''): Generator<string> {
  const folder = lstatSync(join(root, below), { throwIfNoEntry: false });
  if (!folder?.isDirectory()) return;
  const entries = readdirSync(join(root, below), { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const path = below === '' ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) yield* filesBelow(root, path);
    else if (entry.isFile() && !/^\.[0-9a-f]{16}\.tmp$/.test(entry.name)) yield path;
  }
}

/** Null for one that went away since it was listed. */
export function readForTravel(root: string, path: string): Buffer | null {
  const stat = lstatSync(join(root, path), { throwIfNoEntry: false });
  if (!stat?.isFile()) return null;
  if (stat.size > LARGEST)
    throw new HubError('too_large', `${join(root, path)} is larger than ${LARGEST >> 20} MB.`, {
      hint: 'Move it out of the vault, then export again.',
    });
  return readFileSync(join(root, path));
}

export type Incoming = Readonly<{ path: string; data: Buffer }>;

/** Throws unless every path is a place of its own inside a folder: none outside, none twice, none below another file. */
export function requirePlaces(paths: Iterable<string>): void {
  const files = new Set<string>();
  for (const path of paths) {
    requireInside(path);
    if (files.has(path)) throw oddPath(path, 'names it twice');
    files.add(path);
  }
  for (const path of files)
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1))
      if (files.has(path.slice(0, at))) throw oddPath(path, 'has a file where its folder should be');
}

/** Throws when a file would take the place of somebody's, or lie outside the folder. */
export function refuseForeignFiles(root: string, incoming: () => Iterable<Incoming>): void {
  requirePlaces(pathsOf(incoming()));
  const wanted = new Set<string>();
  for (const { path, data } of incoming()) {
    wanted.add(path);
    const target = join(root, ...path.split('/'));
    refuseLinks(root, path);
    const there = lstatSync(target, { throwIfNoEntry: false });
    if (!there || OF_A_FRESH_VAULT.has(path)) continue;
    if (!there.isFile() || !readFileSync(target).equals(data)) throw taken(root, path);
  }
  for (const path of filesBelow(root))
    if (!wanted.has(path) && !OF_A_FRESH_VAULT.has(path)) throw taken(root, path);
}

function* pathsOf(incoming: Iterable<Incoming>): Generator<string> {
  for (const { path } of incoming) yield path;
}

/** Whole and on disk, file by file; what is there with the same content stays. */
export function placeFiles(root: string, incoming: Iterable<Incoming>): void {
  for (const { path, data } of incoming) {
    requireInside(path);
    const target = join(root, ...path.split('/'));
    const there = lstatSync(target, { throwIfNoEntry: false });
    if (there?.isFile() && readFileSync(target).equals(data)) continue;
    refuseLinks(root, path);
    try {
      makeFolders(dirname(target));
      place(target, data, OF_A_FRESH_VAULT.has(path) ? 'w' : 'wx');
    } catch (error) {
      throw cannotWrite(target, error);
    }
  }
}

function place(target: string, data: Buffer, flags: 'w' | 'wx'): void {
  const fd = openSync(target, flags, 0o600);
  try {
    for (let at = 0; at < data.length;) at += writeSync(fd, data, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function requireInside(path: string): void {
  const parts = path.split('/');
  const isOdd = (part: string) => part === '' || part === '.' || part === '..' || /[\\\0]/.test(part);
  if (parts.some(isOdd) || path.length > 4_000) throw oddPath(path, 'is no place in a vault');
}

function oddPath(path: string, what: string): HubError {
  const shown = JSON.stringify(path.slice(0, 100));
  const names = what.startsWith('is') ? `names ${shown}, which ${what}` : `${what}: ${shown}`;
  return new HubError('invalid', `The file ${names}.`, {
    hint: 'Nothing was changed. Do not use this file: no hub wrote that.',
  });
}

function refuseLinks(root: string, path: string): void {
  const parts = path.split('/');
  for (let depth = 0; depth <= parts.length; depth += 1) {
    const there = join(root, ...parts.slice(0, depth));
    if (lstatSync(there, { throwIfNoEntry: false })?.isSymbolicLink() && depth > 0) throw taken(root, path);
  }
}

function taken(root: string, path: string): HubError {
  return new HubError('conflict', `The vault ${root} is in use: it has ${path}.`, {
    hint: 'Import into an empty hub: give another HOLDFAST_HOME, or move the vault away.',
  });
}
