import { fs } from './node-builtins.ts';

/**
 * Whole or not at all: written beside, synced, then renamed into place, so that a reader finds the old file
 * or the new one and never half of it. The draft is made anew: a link that waits at its name is not followed.
 * Its name is not from node:crypto: this is on the way of a stdio server to its first answer.
 */
export function replaceFile(path: string, text: string, mode = 0o600): void {
  const draft = `${path}.${process.pid}-${Math.random().toString(36).slice(2, 10)}.tmp`;
  try {
    const file = fs.openSync(draft, 'wx', mode);
    try {
      fs.writeFileSync(file, text);
      fs.fchmodSync(file, mode);
      fs.fsyncSync(file);
    } finally {
      fs.closeSync(file);
    }
    fs.renameSync(draft, path);
  } catch (error) {
    fs.rmSync(draft, { force: true });
    throw named(error, path);
  }
}

/** A full disk fails in the middle of writing, where the system names no file; nobody knows the name of a draft. */
function named(error: unknown, path: string): unknown {
  return error instanceof Error ? Object.assign(error, { path }) : error;
}
