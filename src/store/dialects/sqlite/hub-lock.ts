import { closeSync, existsSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { makeFolders } from '../../../kernel/folders.ts';
import { Connection } from './connection.ts';
import { realFile } from '../../../kernel/real-file.ts';
import { isBusy } from './faults.ts';
import { cannotOpen, refuseSecondName } from './file.ts';

export interface HubLock {
  release(): void;
}

/** A connection nobody refers to is collected, and its lock with it: a held lock lives until it is released. */
const held = new Set<Connection>();

/**
 * One hub owns the writes of a database. The lock is an open exclusive transaction on a file
 * beside it: the kernel frees it at once when the process dies, however it dies.
 */
export function takeHubLock(databasePath: string): HubLock {
  refuseSecondName(databasePath);
  const connection = openLockFile(databasePath);
  try {
    connection.pragma('journal_mode = delete');
    connection.raw.exec('begin exclusive');
  } catch (cause) {
    connection.close();
    if (!isBusy(cause)) throw cannotOpen(databasePath, cause);
    throw new HubError('conflict', 'Another hub is running on this database.', {
      hint: 'Stop it first; `holdfast status` says which one it is.',
    }).because(cause);
  }
  held.add(connection);
  return {
    release() {
      if (!held.delete(connection)) return;
      connection.raw.exec('rollback');
      connection.close();
    },
  };
}

/** Beside the file itself, whatever link it was reached by: two names would be two locks. */
export function lockPath(databasePath: string): string {
  return `${realFile(databasePath)}.lock`;
}

function openLockFile(databasePath: string): Connection {
  const path = lockPath(databasePath);
  try {
    makeFolders(dirname(path));
    closeSync(openSync(path, 'a', 0o600)); // SQLite would make it for everybody to read and lock
    return new Connection(path, { timeout: 0 });
  } catch (cause) {
    throw cannotOpen(databasePath, cause);
  }
}

/** Does a living process hold it? Makes no file. */
export function isHubLocked(databasePath: string): boolean {
  const path = lockPath(databasePath);
  if (!existsSync(path)) return false;
  const connection = new Connection(path, { readonly: true, timeout: 0 });
  try {
    connection.pragma('schema_version');
    return false;
  } catch (cause) {
    if (isBusy(cause)) return true;
    throw cause;
  } finally {
    connection.close();
  }
}
