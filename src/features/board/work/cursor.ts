import { createHash } from 'node:crypto';
import { badCursor } from './refusals.ts';
import type { ListPlace } from '../rows/tasks.ts';

/**
 * A cursor is the place after which to go on, tied to its filter by a digest. It grants nothing, since the
 * filter is applied anew on every page; the digest only turns a damaged or foreign cursor into a clear answer.
 */
type Filter = Readonly<Record<string, string | boolean | number | undefined>>;

export function encodeCursor(place: ListPlace, filter: Filter): string {
  const body = [place.priority, place.createdAt, place.id];
  return Buffer.from(JSON.stringify([...body, seal(body, filter)])).toString('base64url');
}

export function decodeCursor(cursor: string, filter: Filter): ListPlace {
  const parts = parse(cursor);
  if (!Array.isArray(parts)) throw badCursor();
  const [priority, createdAt, id] = parts as unknown[];
  if (!Number.isSafeInteger(priority) || !Number.isSafeInteger(createdAt) || typeof id !== 'string')
    throw badCursor();
  const place = { priority: priority as number, createdAt: createdAt as number, id };
  // Decoding is lenient about stray characters; only the very text we made is accepted.
  if (encodeCursor(place, filter) !== cursor) throw badCursor();
  return place;
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
