import { elapsed } from '../../../kernel/clock.ts';
import { HubError } from '../../../kernel/errors.ts';
import { newSecret } from '../../../kernel/ids.ts';

/** What did not fit into an answer, kept for a while under an unguessable cursor. Bounded: the oldest goes first. */
export interface Leftovers {
  keep(principal: string, rest: string): string | undefined;
  take(
    principal: string,
    cursor: string,
  ): Readonly<{ text: string; nextCursor: string | null; remaining: number }>;
}

const MOST_BYTES = 64 * 1024 * 1024;
export const MOST_EACH = 16 * 1024 * 1024;
const PAGE = 128 * 1024;
const LIFE_MS = 15 * 60_000;

type Kept = { principal: string; rest: string; until: number };

export function createLeftovers(now: () => number = elapsed): Leftovers {
  const kept = new Map<string, Kept>();
  let bytes = 0;

  const drop = (cursor: string) => {
    bytes -= kept.get(cursor)?.rest.length ?? 0;
    kept.delete(cursor);
  };

  return {
    keep(principal, rest) {
      if (rest.length > MOST_EACH) return undefined;
      for (const [cursor, { until }] of kept)
        if (until < now() || bytes + rest.length > MOST_BYTES) drop(cursor);
      const cursor = newSecret(12);
      kept.set(cursor, { principal, rest, until: now() + LIFE_MS });
      bytes += rest.length;
      return cursor;
    },
    take(principal, name) {
      const [cursor, at = '0'] = name.split('.');
      const entry = kept.get(cursor!);
      const from = Number(at);
      if (
        !entry ||
        entry.until < now() ||
        entry.principal !== principal ||
        !Number.isSafeInteger(from) ||
        from < 0 ||
        from > entry.rest.length
      ) {
        throw new HubError('not_found', 'This rest is not kept any more.', {
          hint: 'Call the tool again, and ask for less.',
        });
      }
      const end = pageEnd(entry.rest, from);
      const remaining = entry.rest.length - end;
      return {
        text: entry.rest.slice(from, end),
        nextCursor: remaining > 0 ? `${cursor}.${end}` : null,
        remaining,
      };
    },
  };
}

/** Pages end between characters. */
function pageEnd(text: string, from: number): number {
  const end = Math.min(text.length, from + PAGE);
  const code = text.charCodeAt(end - 1);
  return end < text.length && code >= 0xd800 && code <= 0xdbff ? end - 1 : end;
}
