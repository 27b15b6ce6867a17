import { HubError } from '../../../kernel/errors.ts';
import type { Log } from '../../../kernel/log.ts';
import { type Principal, systemActor } from '../../../kernel/principal.ts';
import { excerpt } from '../../../kernel/redact.ts';
import type { Database } from '../../../store/database.ts';
import { digestOf } from '../rules.ts';
import { accessByHash, apiTokenByHash, noteUse, type Scope } from './rows.ts';

/** Who shows a token of a Being, and where. */
export type Shown = Readonly<{ text: string; url: string; route: string }>;

const NOTE_USE_EVERY = 5 * 60_000;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** The places a token of a Being opens. Everything else of the hub is closed to it. */
const BEING_PATHS = /^\/mcp(\/:beingId)?$|^\/v1\/beings\/:id(\/|$)/;

/**
 * Tells whose a `bto_` or `brt_` token is. The token decides; an id in the path or the query may only agree with it. Throws
 * for every token that does not hold here: none of them falls back to anything.
 */
export function createBeingHolders({ db, log }: Readonly<{ db: Database; log: Log }>) {
  const notedAt = new Map<string, number>();

  function note(id: string): void {
    const now = db.elapsed();
    if (now - (notedAt.get(id) ?? -Infinity) < NOTE_USE_EVERY) return;
    notedAt.set(id, now);
    db.write(systemActor, (tx) => noteUse(tx, id)).catch((error: unknown) =>
      log.debug('the use of a token was not noted', { id, error }),
    );
  }

  return async function identify({ text, url, route }: Shown): Promise<Principal> {
    const isOAuth = text.startsWith('bto_');
    const hash = digestOf(text);
    const row = await db.read<Holder | undefined>((q) =>
      isOAuth ? accessByHash(q, hash) : apiTokenByHash(q, hash),
    );
    if (!row) throw refused('invalid token');
    if (row.revokedAt !== null) throw refused('This token was revoked.');
    if (row.expiresAt !== null && row.expiresAt <= db.now()) throw refused('This token has expired.');
    if (!BEING_PATHS.test(route)) {
      throw new HubError('forbidden', 'A token of a Being opens that Being and nothing else of the hub.', {
        hint: 'Use the hub token here, or an agent token where its scopes allow it.',
      });
    }
    const named = namedBeings(url, route);
    if (named.length === 0 && !isOAuth) throw unnamed();
    if (named.some((id) => id.toLowerCase() !== row.being))
      throw refused('This token belongs to another Being.');
    if (row.id !== undefined) note(row.id);
    const credential = `being:${row.being}:${row.id === undefined ? `bto:${row.family}:${hash.slice(0, 8)}` : `brt:${row.id}`}`;
    return {
      ...principalOf(row.being, row.scope),
      credential,
      ...(row.expiresAt !== null && { holds: { until: row.expiresAt } }),
    };
  };
}

type Holder = Readonly<{
  /** Of an API token. */
  id?: string;
  /** Of an access token. */
  family?: string;
  being: string;
  scope: Scope;
  expiresAt: number | null;
  revokedAt: number | null;
}>;

/** From the path, and from the query where the documents allow it. What is no UUID names no Being. */
function namedBeings(url: string, route: string): readonly string[] {
  const at = url.indexOf('?');
  const path = at < 0 ? url : url.slice(0, at);
  const inPath = route.includes(':') ? [path.split('/')[route.startsWith('/mcp') ? 2 : 3] ?? ''] : [];
  const inQuery =
    at < 0 || !route.startsWith('/mcp') ? [] : new URLSearchParams(url.slice(at + 1)).getAll('being_id');
  const named = [...inPath, ...inQuery];
  const wrong = named.find((id) => !UUID.test(id));
  if (wrong !== undefined) {
    throw new HubError('invalid', `${excerpt(wrong, 60)} is not the id of a Being: ids are UUIDs.`, {
      hint: '`holdfast being list` shows them.',
    });
  }
  return named;
}

function principalOf(being: string, scope: Scope): Principal {
  const scopes = scope === 'full' ? ['being:read', 'being:write'] : ['being:read'];
  return { kind: 'being', id: being, scopes: new Set(scopes), seat: '', bound: { being } };
}

function refused(message: string): HubError {
  return new HubError('unauthorized', message, {
    challenge: 'invalid_token',
    hint: 'Ask the owner of the Being for a token, or sign in again.',
  });
}

function unnamed(): HubError {
  return new HubError(
    'invalid',
    'A brt_ token needs the id of its Being: use /mcp/<being id>, or /mcp?being_id=<being id>.',
    {
      hint: 'Put the id into the path or the query.',
    },
  );
}
