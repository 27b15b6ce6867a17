import { HubError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { excerpt, redact } from '../../kernel/redact.ts';
import type { Acting } from '../../store/calls.ts';
import type { Database } from '../../store/database.ts';
import type { Recalling } from './being-recall.ts';
import { type BeingRow, beingRow } from './rows/beings.ts';
import type { Held, Seen } from './rows/whose.ts';
import { LIMITS } from './rules.ts';
import type { Sealing } from './seal.ts';

/** What the parts of a Being stand on. */
export type Parts = Readonly<{
  db: Database;
  acting: Acting;
  recalling: Recalling;
  sealing: Sealing;
  log: Log;
}>;

/** One Being in a transaction, with what its memory stands on: bound once for each change. */
export type Mind = Held & Pick<Parts, 'recalling' | 'sealing'>;

export function mindOf({ recalling, sealing }: Pick<Parts, 'recalling' | 'sealing'>, self: Held): Mind {
  return { ...self, recalling, sealing };
}

export async function requireBeing(self: Seen): Promise<BeingRow> {
  const row = await beingRow(self);
  if (row) return row;
  const id = excerpt(self.being, 60);
  throw new HubError('not_found', `There is no Being ${id}.`, {
    id,
    hint: '`holdfast being list` shows them.',
  });
}

export function tell(
  { tx, being }: Held,
  kind: string,
  data: Readonly<Record<string, string | number>> = {},
): void {
  tx.emit({ kind: `being.${kind}`, subject: being, realm: `being:${being}`, data });
}

/**
 * One change to the memory of a Being at a time: what was read stays true until it is written (being-races.test.ts). Taken
 * before anything else of the Being is touched, so that no two wait for each other.
 */
export function takeTurn({ tx, being }: Held): Promise<void> {
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
