import { appendFileSync, renameSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolders } from '../../kernel/folders.ts';

/**
 * What the hub says, kept beside its database in the home: `hub.log`, and three older ones. A hub must never stop or slow
 * down for its log, so a full or read-only disk loses lines here and nowhere else; the terminal still has them.
 */
const LARGEST = 5 * 1024 * 1024;
const KEPT = 3;

export function logPath(home: string): string {
  return join(home, 'logs', 'hub.log');
}

export function openLogFile(path: string, largest = LARGEST): (line: string) => void {
  let size: number | undefined;
  return (line) => {
    try {
      if (size === undefined) {
        makeFolders(dirname(path));
        size = sizeOf(path);
      }
      if (size > 0 && size + Buffer.byteLength(line) > largest) {
        // Another hub of this home may have turned it over a moment ago.
        if (sizeOf(path) + Buffer.byteLength(line) > largest) turnOver(path);
        size = sizeOf(path);
      }
      appendFileSync(path, line, { mode: 0o600 });
      size += Buffer.byteLength(line);
    } catch {
      size = undefined;
    }
  };
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function turnOver(path: string): void {
  for (let age = KEPT - 1; age >= 0; age -= 1) {
    const from = age === 0 ? path : `${path}.${age}`;
    if (statSync(from, { throwIfNoEntry: false })) renameSync(from, `${path}.${age + 1}`);
  }
}
