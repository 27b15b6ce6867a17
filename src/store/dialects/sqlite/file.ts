import { dirname } from 'node:path';
import { HubError } from '../../../kernel/errors.ts';
import { codeOf, reasonOf } from '../../../kernel/file-faults.ts';
import { realFile } from '../../../kernel/real-file.ts';
import { makeFolders } from '../../../kernel/folders.ts';
import { closeSync, fstatSync, openSync, readSync, statSync } from 'node:fs';
import { corruptDatabase, foreignDatabase } from '../../migrations/refuse.ts';

/** Marks a file as ours ('HOLD'). It is written before the file enters WAL mode, so the main file's header always shows it. */
export const APPLICATION_ID = 0x484f4c44;

const MAGIC = 'SQLite format 3\0';

/**
 * Looks at a file without opening it as a database, because even opening may leave traces
 * beside somebody else's file. Answers whether it has to be created.
 */
export function inspectFile(path: string): 'fresh' | 'ours' {
  const header = readHeader(path);
  if (header === undefined || header.bytes.length === 0) return 'fresh';
  const { bytes, size } = header;
  if (!isSqlite(bytes) || bytes.readUInt32BE(68) !== APPLICATION_ID) throw foreignDatabase(path);
  if (size < expectedSize(bytes) && !hasLog(path)) throw corruptDatabase(path);
  return 'ours';
}

/**
 * Is the file shorter than its header says? A checkpoint writes the header first: whoever is killed in it, or finds the
 * disk full, leaves the missing pages in the log beside the file, and only SQLite can put them together.
 */
export function isShort(path: string): boolean {
  const header = readHeader(path);
  return header !== undefined && isSqlite(header.bytes) && header.size < expectedSize(header.bytes);
}

/** SQLite follows a symbolic link, and keeps its log beside the file that the link leads to. */
function hasLog(path: string): boolean {
  return (statSync(`${realFile(path)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
}

/**
 * A lock, a log and a hub's record belong to a name. A file with a second one could be written by two hubs, each with a
 * log of its own that the other never sees.
 */
export function refuseSecondName(path: string): void {
  const names = namesOf(path);
  if (names < 2) return;
  throw new HubError('conflict', `${path} has ${names} names (hard links) and was not opened.`, {
    path,
    hint: `Keep one name: \`find -samefile ${path}\` finds the others. To have a copy, use \`holdfast backup\`.`,
  });
}

function namesOf(path: string): number {
  try {
    const found = statSync(path, { throwIfNoEntry: false });
    return found?.isFile() ? found.nlink : 0;
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
}

/** Whole enough to tell that it is a database of somebody else; a file whose header is lost could have been ours. */
export function isForeign(path: string): boolean {
  const bytes = readHeader(path)?.bytes;
  return bytes !== undefined && isSqlite(bytes) && bytes.readUInt32BE(68) !== APPLICATION_ID;
}

function isSqlite(header: Buffer): boolean {
  return header.length === 100 && header.toString('latin1', 0, 16) === MAGIC;
}

export function createFile(path: string): void {
  try {
    makeFolders(dirname(path));
    closeSync(openSync(path, 'a', 0o600));
  } catch (cause) {
    throw cannotOpen(path, cause);
  }
}

/** Where no file can be, none will be later; a disk that is full or busy may recover. */
const FOR_GOOD =
  /^(?:ENOENT|ENOTDIR|EISDIR|EACCES|EPERM|EROFS|ENAMETOOLONG|ELOOP|SQLITE_CANTOPEN|SQLITE_READONLY\w*)$/;

export function cannotOpen(path: string, cause: unknown): HubError {
  const code = codeOf(cause);
  return new HubError('unavailable', `The database ${path} cannot be opened (${reasonOf(cause)}).`, {
    ...(FOR_GOOD.test(code) && { retryable: false }),
    hint: 'Check that the folder exists, that its disk is writable and not full, and that it belongs to you.',
  }).because(cause);
}

function readHeader(path: string): { bytes: Buffer; size: number } | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return undefined;
    throw cannotOpen(path, cause);
  }
  try {
    const bytes = Buffer.alloc(100);
    const read = readSync(file, bytes, 0, 100, 0);
    return { bytes: bytes.subarray(0, read), size: fstatSync(file).size };
  } catch (cause) {
    throw cannotOpen(path, cause);
  } finally {
    closeSync(file);
  }
}

/** The header's page count is trustworthy only when its change counter matches. */
function expectedSize(header: Buffer): number {
  if (header.readUInt32BE(24) !== header.readUInt32BE(92)) return 0;
  const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
  return header.readUInt32BE(28) * pageSize;
}
