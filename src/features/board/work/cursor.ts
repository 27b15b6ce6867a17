import { createHash } from 'node:crypto';
import { badCursor } from './refusals.ts';
import { type ListPosition, SORT_KEYS } from '../rows/lists.ts';

/**
 * A cursor is the place after which to go on, tied to its filter by a digest. It grants nothing, since the
 * filter is applied anew on every page; the digest only turns a damaged or foreign cursor into a clear answer.
 */
type Filter = Readonly<Record<string, string | boolean | number | undefined>>;

export function encodeCursor({ keys, id }: ListPosition, filter: Filter): string {
  const body = [...keys, id];
  return Buffer.from(JSON.stringify([...body, seal(body, filter)])).toString('base64url');
}

export function decodeCursor(cursor: string, filter: Filter): ListPosition {
  const parts = parse(cursor);
  if (!Array.isArray(parts)) throw badCursor();
  const keys = (parts as unknown[]).slice(0, SORT_KEYS) as number[];
  const id = (parts as unknown[])[SORT_KEYS];
  if (!keys.every(Number.isSafeInteger) || typeof id !== 'string') throw badCursor();
  // Decoding is lenient about stray characters; only the very text we made is accepted.
  if (encodeCursor({ keys, id }, filter) !== cursor) throw badCursor();
  return { keys, id };
}

function parse(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch {
    throw badCursor();
  }
}

function seal(body: readonly unknown[], filter: Filter): string {
  const named = Object.entries(filter).filter(([, value]) => value !== undefined);
  const sorted = named.sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify(['board', body, sorted]))
    .digest('base64url')
    .slice(0, 16);
}
