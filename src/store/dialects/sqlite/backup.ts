import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { HubError } from '../../../kernel/errors.ts';
import { Connection } from './connection.ts';
import { isBusy } from './faults.ts';
import { takeHubLock } from './hub-lock.ts';
import { type Counts, inspectSqlite, withReader } from './inspect.ts';

/** One consistent file, taken while others go on writing. Answers what is in it, read back from the copy. */
export function backupSqlite(path: string, target: string, overwrite: boolean): Counts {
  inspectSqlite(path);
  if (existsSync(target) && !overwrite) throw exists(target, 'Give another name, or --force to replace it.');
  return copyInto(path, target);
}

/** Puts a backup in place of a database. What was there before is kept beside it under `replaced`. */
export function restoreSqlite(
  backup: string,
  path: string,
  overwrite: boolean,
): Readonly<{ counts: Counts; replaced: string | undefined }> {
  const { counts } = inspectSqlite(backup);
  if (existsSync(path) && !overwrite) throw exists(path, 'Give --force to replace it; the old one is kept beside it.');
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = takeHubLock(path);
  try {
    const replaced = existsSync(path) ? setAside(path) : undefined;
    const restored = copyInto(backup, path);
    if (!isDeepStrictEqual(restored, counts))
      throw new HubError('internal', `${path} does not hold what ${backup} holds.`, { restored, counts });
    return { counts: restored, replaced };
  } finally {
    lock.release();
  }
}

/** `vacuum into` reads one snapshot, write-ahead log included; the name appears only when the copy is whole and on disk. */
function copyInto(from: string, to: string): Counts {
  const draft = `${to}.partial`;
  rmSync(draft, { force: true });
  try {
    // Made before SQLite fills it: it belongs to its owner alone from its first byte, and no link is followed.
    closeSync(openSync(draft, 'wx', 0o600));
    withReader(from, (connection) => connection.raw.prepare('vacuum into ?').run(draft));
    sync(draft);
    const { counts } = inspectSqlite(draft);
    renameSync(draft, to);
    sync(dirname(to));
    return counts;
  } catch (thrown) {
    rmSync(draft, { force: true });
    throw thrown;
  }
}

/** Leaving WAL mode needs the file for oneself: a stdio server that still has it open is found here, before anything moves. */
function setAside(path: string): string {
  const connection = new Connection(path, { timeout: 0 });
  try {
    connection.pragma('journal_mode = delete');
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
    throw new HubError(
      'conflict',
      `${path} is in use by another process.`,
      { hint: 'End the hub and the agents that use it, then restore again.' },
      thrown,
    );
  } finally {
    connection.close();
  }
  const aside = `${path}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  renameSync(path, aside);
  return aside;
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

function exists(path: string, hint: string): HubError {
  return new HubError('conflict', `${path} already exists.`, { path, hint });
}
