import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Where a program is: a path as it is, a name on PATH or in one of the folders before it. */
export function findProgram(name: string, path: string, before: readonly string[] = []): string | undefined {
  if (name.includes('/')) return isExecutable(resolve(name)) ? resolve(name) : undefined;
  const folders = [...before, ...path.split(delimiter).filter((part) => part !== '' && isAbsolute(part))];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Programs come and go, but not within this time; what is gone all the same fails when it is started. */
const FRESH_MS = 1_000;
const seen = new Map<string, Readonly<{ at: number; is: boolean }>>();
const MOST_SEEN = 1_000;

function isExecutable(path: string): boolean {
  const now = performance.now();
  const last = seen.get(path);
  if (last && now - last.at < FRESH_MS) return last.is;
  const is = looksExecutable(path);
  if (seen.size >= MOST_SEEN) seen.clear();
  seen.set(path, { at: now, is });
  return is;
}

function looksExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
