import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, resolve } from 'node:path';

/** Where a program is: a path as it is, a name on PATH or in one of the folders before it. */
export function findProgram(name: string, path: string, before: readonly string[] = []): string | undefined {
  if (name.includes('/')) return isExecutable(resolve(name)) ? resolve(name) : undefined;
  const folders = [...before, ...path.split(delimiter).filter((part) => part !== '' && isAbsolute(part))];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
