import { closeSync, existsSync, fsyncSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { HubError } from '../../../kernel/errors.ts';
import { cannotWrite } from '../../../kernel/cannot-write.ts';
import { realFile } from '../../../kernel/real-file.ts';
import { foreignDatabase } from '../../migrations/refuse.ts';
import type { Also } from '../../whole/tables.ts';
import { Connection } from './connection.ts';
import { isBusy, isCorrupt } from './faults.ts';
import { isForeign, refuseSecondName } from './file.ts';
import { takeHubLock } from './hub-lock.ts';
import { type RowCounts, inspectSqlite, withReader } from './inspect.ts';

/** `also`: what its owner wants to have along. */
export type Backup = Readonly<{ overwrite: boolean; also?: Also }>;

/** One consistent file, taken while others go on writing. Answers what is in it, read back from the copy. */
export function backupSqlite(path: string, target: string, { overwrite, also }: Backup): RowCounts {
  refuseSecondName(path);
  inspectSqlite(path);
  refuseItself(path, target);
  if (existsSync(target) && !overwrite) throw exists(target, 'Give another name, or --force to replace it.');
  const draft = `${target}.partial`;
  try {
    copyInto(path, draft);
    if (also !== 'sessions') leaveSessions(draft);
    const { counts } = inspectSqlite(draft);
    publish(draft, target);
    return counts;
  } finally {
    rmSync(draft, { force: true });
  }
}

/** Puts a backup in place of a database, damaged ones included. What was there before is kept beside it under `replaced`. */
export function restoreSqlite(
  backup: string,
  named: string,
  overwrite: boolean,
): Readonly<{ counts: RowCounts; replaced: string | undefined }> {
  // The file changes and not the link to it.
  const path = realFile(named);
  const { counts } = inspectSqlite(backup);
  refuseItself(backup, path);
  if (existsSync(path) && !overwrite)
    throw exists(path, 'Give --force to replace it; the old one is kept beside it.');
  const lock = takeHubLock(path);
  const draft = `${path}.partial`;
  try {
    copyInto(backup, draft);
    const { counts: restored } = inspectSqlite(draft);
    if (!isDeepStrictEqual(restored, counts))
      throw new HubError('internal', `The copy does not hold what ${backup} holds.`, { restored, counts });
    const replaced = existsSync(path) ? setAside(path) : undefined;
    publish(draft, path);
    return { counts: restored, replaced };
  } finally {
    rmSync(draft, { force: true });
    lock.release();
  }
}

/** `vacuum into` reads one snapshot, write-ahead log included. */
function copyInto(from: string, draft: string): void {
  rmSync(draft, { force: true });
  try {
    // Made before SQLite fills it: it belongs to its owner alone from its first byte, and no link is followed.
    closeSync(openSync(draft, 'wx', 0o600));
  } catch (thrown) {
    throw cannotWrite(draft, thrown);
  }
  withReader(from, (connection) => {
    try {
      connection.raw.prepare('vacuum into ?').run(draft);
    } catch (thrown) {
      throw isCorrupt(thrown) ? thrown : cannotWrite(draft, thrown);
    }
  });
  sync(draft);
}

/** What was said in sessions leaves no byte in the copy: their rows go, and the file is written anew without them. */
function leaveSessions(draft: string): void {
  const connection = new Connection(draft);
  try {
    const table = (name: string) =>
      connection.raw.prepare('select 1 from sqlite_master where name = ?').get(name) !== undefined;
    if (table('transcripts')) {
      connection.raw.exec(`
        begin;
        insert into transcript_words (transcript_words) values ('delete-all');
        delete from transcript_turns;
        delete from transcript_files;
        delete from transcripts;
        ${table('lessons') ? 'delete from lessons; delete from lesson_scans;' : ''}
        commit;
        vacuum`);
    }
  } finally {
    connection.close();
  }
  sync(draft);
}

/** The name appears only when the copy is whole and on disk. */
function publish(draft: string, name: string): void {
  renameSync(draft, name);
  sync(dirname(name));
}

/** A database that takes the place of itself would pull the file away under the hub that writes to it. */
function refuseItself(from: string, to: string): void {
  const [source, target] = [statSync(from), statSync(to, { throwIfNoEntry: false })];
  if (source.ino !== target?.ino || source.dev !== target.dev) return;
  throw new HubError('invalid', `${to} is the database itself.`, { path: to, hint: 'Name another file.' });
}

/** A damaged file cannot be folded together; its log goes along with it, so that it is never taken for the new one's. */
function setAside(path: string): string {
  if (isForeign(path)) throw foreignDatabase(path);
  foldTogether(path);
  const aside = `${path}.replaced-${new Date().toISOString().replace(/[:.]/g, '-')}`;
  for (const part of ['', '-wal', '-shm']) if (existsSync(path + part)) renameSync(path + part, aside + part);
  return aside;
}

/** Leaving WAL mode needs the file for oneself: a stdio server that still has it open is found here, before anything moves. */
function foldTogether(path: string): void {
  const connection = new Connection(path, { timeout: 0 });
  try {
    connection.pragma('journal_mode = delete');
  } catch (thrown) {
    if (isCorrupt(thrown)) return;
    if (!isBusy(thrown)) throw thrown;
    throw new HubError('conflict', `${path} is in use by another process.`, {
      hint: 'End the hub and the agents that use it, then restore again.',
    }).because(thrown);
  } finally {
    connection.close();
  }
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
