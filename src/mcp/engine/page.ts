import { invalidParams, type Params } from '../protocol/jsonrpc.ts';

export const PAGE_SIZE = 250;

/**
 * One page of a list sorted by a stable key. The cursor names the last key shown, so a list that
 * changes between two pages neither repeats nor skips what stayed.
 */
export function pageOf<T>(
  items: readonly T[],
  keyOf: (item: T) => string,
  params: Params,
): { items: readonly T[]; next?: string } {
  const after = readCursor(params['cursor']);
  const start = after === undefined ? 0 : items.findIndex((item) => keyOf(item) > after);
  if (start === -1) return { items: [] };
  const page = items.slice(start, start + PAGE_SIZE);
  return start + PAGE_SIZE < items.length
    ? { items: page, next: encodeKey(keyOf(page.at(-1)!)) }
    : { items: page };
}

function readCursor(cursor: unknown): string | undefined {
  if (cursor === undefined) return undefined;
  if (typeof cursor === 'string' && cursor !== '') {
    const key = Buffer.from(cursor, 'base64url').toString('utf8');
    // What we encoded comes back the same; other texts decode to something, too.
    if (encodeKey(key) === cursor) return key;
  }
  throw invalidParams('cursor is not one this server gave out', { status: 400 });
}

function encodeKey(key: string): string {
  return Buffer.from(key).toString('base64url');
}

export function cursorMember(next: string | undefined): string {
  return next === undefined ? '' : `,"nextCursor":${JSON.stringify(next)}`;
}
