import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/**
 * Whole or not at all: written beside, synced, then renamed into place, so that a reader finds the old file
 * or the new one and never half of it. The draft is made anew: a link that waits at its name is not followed.
 * Its name is not from node:crypto: this is on the way of a stdio server to its first answer.
 */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  const draft = `${path}.${process.pid}-${Math.random().toString(36).slice(2, 10)}.tmp`;
  try {
    const file = openSync(draft, 'wx', mode);
    try {
      writeFileSync(file, text);
      fchmodSync(file, mode);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw named(error, path);
  }
}

/** A full disk fails in the middle of writing, where the system names no file; nobody knows the name of a draft. */
function named(error: unknown, path: string): unknown {
  return error instanceof Error ? Object.assign(error, { path }) : error;
}
