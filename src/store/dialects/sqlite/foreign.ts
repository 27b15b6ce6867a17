// A SQLite database of somebody else, opened for reading only.
import { constants, copyFileSync, existsSync, lstatSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Connection } from './connection.ts';

/** Copying more than this is no look any more. */
const MOST_COPIED = 1024 * 1024 * 1024;

export type ForeignQuery = <R>(text: string, ...params: readonly (string | number)[]) => R[];

/**
 * One that its owner has open is read in place, with the log that is there. Otherwise even a reader would make a log beside it,
 * so a copy is read: nobody writes to the file, and it is whole.
 */
export function readForeign<T>(path: string, use: (query: ForeignQuery) => T): T {
  const isOpen = existsSync(`${path}-wal`) && existsSync(`${path}-shm`);
  if (isOpen) return withReader(path, use);
  if (lstatSync(path).size > MOST_COPIED)
    throw new Error(`it is larger than ${MOST_COPIED} bytes and nobody has it open`);
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-look-'));
  try {
    const copy = join(folder, 'copy.db');
    copyFileSync(path, copy, constants.COPYFILE_FICLONE);
    if (existsSync(`${path}-wal`)) copyFileSync(`${path}-wal`, `${copy}-wal`);
    return withReader(copy, use);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function withReader<T>(path: string, use: (query: ForeignQuery) => T): T {
  const connection = new Connection(path, { readonly: true, fileMustExist: true, timeout: 1000 });
  try {
    return use(<R>(text: string, ...params: readonly (string | number)[]) =>
      connection.all<R>({ text, params }),
    );
  } finally {
    connection.close();
  }
}
