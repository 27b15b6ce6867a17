// Where the tests keep what they write: in memory where there is plenty of it. They open some thousands of databases that nobody reads
// twice; on a disk that took a seventh of their processor time, and as much again to wait for.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';
import { delimiter, join } from 'node:path';

const MEMORY = '/dev/shm';
const PREFIX = 'hf-';
/** What a whole run may leave there, several times over. */
const ROOM = 8 * 2 ** 30;

/**
 * The variable that names it, or nothing where the disk must do. Somebody who chose a place keeps it; and whom bubblewrap keeps in
 * has a /dev of its own, in which none of this would be.
 */
export function scratchInMemory() {
  if (process.env.TMPDIR !== undefined || !existsSync(MEMORY) || isInstalled('bwrap')) return {};
  sweep();
  const { bavail, bsize } = statfsSync(MEMORY);
  if (Math.min(bavail * bsize, freemem()) < ROOM) return {};
  const folder = join(MEMORY, `${PREFIX}${process.pid}`);
  mkdirSync(folder);
  // PostgreSQL and the tests of other users run as somebody else.
  chmodSync(folder, 0o1777);
  process.once('exit', () => remove(folder));
  return { TMPDIR: folder };
}

function isInstalled(program) {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => existsSync(join(folder, program)));
}

/** A run that was killed left its folder. */
function sweep() {
  for (const name of readdirSync(MEMORY)) {
    const pid = Number(name.startsWith(PREFIX) ? name.slice(PREFIX.length) : Number.NaN);
    if (pid > 0 && !existsSync(`/proc/${pid}`)) remove(join(MEMORY, name));
  }
}

/** What is left there says nothing about the tests: it is told, and tried again by the next run. */
function remove(folder) {
  try {
    rmSync(folder, { recursive: true, force: true });
  } catch (error) {
    console.error(`${folder} could not be removed: ${error.message}`);
  }
}
