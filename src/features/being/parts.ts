import { HubError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import type { Principal } from '../../kernel/principal.ts';
import { excerpt, redact } from '../../kernel/redact.ts';
import type { Acting } from '../../store/acting.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { Recalling } from './recalling.ts';
import { type BeingRow, beingById } from './rows/beings.ts';
import { LIMITS } from './rules.ts';
import type { Sealing } from './sealing.ts';

/** What the parts of a Being stand on. */
export type Parts = Readonly<{
  db: Database;
  acting: Acting;
  recalling: Recalling;
  sealing: Sealing;
  log: Log;
}>;

/** Whose memory a caller reaches: its token says so, and no argument. */
export function beingOf(who: Principal): string {
  if (who.bound.being !== undefined) return who.bound.being;
  throw new HubError('forbidden', 'This connection belongs to no Being.', {
    hint: 'Connect with a token of the Being; `holdfast being token <id>` makes one.',
  });
}

export async function requireBeing(q: Query, id: string): Promise<BeingRow> {
  const being = await beingById(q, id);
  if (being) return being;
  throw new HubError('not_found', `There is no Being ${excerpt(id, 60)}.`, {
    id: id.slice(0, 60),
    hint: '`holdfast being list` shows them.',
  });
}

export function tell(
  tx: Tx,
  being: string,
  kind: string,
  data: Readonly<Record<string, string | number>> = {},
): void {
  tx.emit({ kind: `being.${kind}`, subject: being, realm: `being:${being}`, data });
}

/**
 * One change to the memory of a Being at a time: what was read stays true until it is written (being-races.test.ts). Taken
 * before anything else of the Being is touched, so that no two wait for each other.
 */
export function takeTurn(tx: Tx, being: string): Promise<void> {
  return tx.lock(`being:${being}`);
}

/** Words of callers as they are stored: well formed, without secrets, and not too many. */
export function clean(text: string, what: string, max: number = LIMITS.text): string {
  const words = redact(text.toWellFormed()).replaceAll('\0', '').trim();
  if (words === '') throw new HubError('invalid', `${what} must not be blank`);
  if (words.length <= max) return words;
  throw new HubError('too_large', `${what} takes at most ${max} characters; this has ${words.length}`, {
    max,
  });
}
