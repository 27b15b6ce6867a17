// Files that need not be there.
import { readFileSync, statSync } from 'node:fs';
import { codeOf } from './file-faults.ts';

/** For what is asked of a file that may be missing. */
export function unlessMissing(error: unknown): undefined {
  if (codeOf(error) === 'ENOENT') return undefined;
  throw error;
}

export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    return unlessMissing(error);
  }
}

export const ABSENT = 'absent';

/** Changes whenever the file does, also when an editor replaces it. Why it cannot be looked at is a stamp as well. */
export function stampOfFile(path: string): string {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found ? `${found.mtimeMs}:${found.size}:${found.ino}` : ABSENT;
  } catch (error) {
    return codeOf(error) || 'unreadable';
  }
}
