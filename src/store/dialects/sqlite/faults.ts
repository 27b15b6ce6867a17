import { HubError } from '../../../kernel/errors.ts';
import { codeOf } from '../../../kernel/file-faults.ts';

export function isBusy(thrown: unknown): boolean {
  return /^SQLITE_(?:BUSY|LOCKED)/.test(codeOf(thrown));
}

export function isCorrupt(thrown: unknown): boolean {
  return /^SQLITE_(?:CORRUPT|NOTADB)/.test(codeOf(thrown));
}

/** SQLite's own failures become errors that are safe to show; what the unit threw itself stays as it is. */
export function translate(thrown: unknown): unknown {
  const code = codeOf(thrown);
  if (!code.startsWith('SQLITE_')) return thrown;
  if (isBusy(thrown)) return busyError(thrown);
  if (/^SQLITE_(?:FULL|IOERR|READONLY|CANTOPEN|NOMEM|CORRUPT|NOTADB|PERM|AUTH)/.test(code))
    return lostError(thrown);
  if (code.startsWith('SQLITE_CONSTRAINT'))
    return new HubError('conflict', 'The change contradicts what is stored.').because(thrown);
  return new HubError('internal', 'The hub hit an internal error.').because(thrown);
}

export function busyError(cause?: unknown): HubError {
  return new HubError('busy', 'The database is busy with other writers.').because(cause);
}

/** The transaction is gone and nothing in it happened. */
export function lostError(cause: unknown): HubError {
  const why = reasons.find(([pattern]) => pattern.test(codeOf(cause)))?.[1] ?? 'the transaction was lost';
  return new HubError('unavailable', `Nothing was saved: ${why}.`).because(cause);
}

const reasons: readonly (readonly [RegExp, string])[] = [
  [/FULL/, 'the disk is full'],
  [/READONLY|PERM|AUTH/, 'the database cannot be written to'],
  [/CANTOPEN/, 'the database cannot be opened'],
  [/CORRUPT|NOTADB/, 'the database file is damaged'],
  [/IOERR/, 'the disk reported an error'],
];
