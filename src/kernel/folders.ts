import { dirname, isAbsolute, relative, resolve, sep } from 'node:path';
import { existsSync, mkdirSync } from 'node:fs';

/**
 * Makes a folder and what is missing above it, for their owner alone. Node's own recursion never comes back where the system
 * answers "no such folder" to making one, as it does below /proc.
 */
export function makeFolders(path: string): void {
  const missing: string[] = [];
  for (let folder = resolve(path); !existsSync(folder); folder = dirname(folder)) missing.unshift(folder);
  for (const folder of missing) makeFolder(folder);
}

/** Another process may be making the same ones. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** Both are absolute, with their links resolved. A folder is inside itself. */
export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way));
}
