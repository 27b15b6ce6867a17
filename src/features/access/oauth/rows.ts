// SQL of tokens, clients, consents and codes. One statement spends a code or a refresh token, so a replay
// gets none; a token family, all that came from one consent, ends together.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import {
  json,
  named,
  number,
  numberOrNull,
  type RecordOf,
  type StoredRow,
  table,
  text,
  textOrNull,
} from '../../../store/table.ts';

export type Scope = 'full' | 'read-only';

/** What every table here says of when. */
const times = { createdAt: number(), usedAt: numberOrNull(), revokedAt: numberOrNull() };
const FRESH = { usedAt: null, revokedAt: null };

const apiTokens = table('being_api_tokens', {
  id: text(),
  hash: named('token_hash', text()),
  being: named('being_id', text()),
  scope: text<Scope>(),
  label: textOrNull(),
  expiresAt: numberOrNull(),
  ...times,
});
export type ApiToken = Readonly<RecordOf<typeof apiTokens.fields>>;

export async function insertApiToken(tx: Tx, given: Omit<ApiToken, keyof typeof times>): Promise<ApiToken> {
  const token = { ...given, ...FRESH, createdAt: tx.now };
  await apiTokens.insert(tx, token);
  return token;
}

export function apiTokenByHash(q: Query, hash: string): Promise<ApiToken | undefined> {
  return apiTokens.find(q, sql`where token_hash = ${hash}`);
}

export function apiTokensOf(q: Query, being: string): Promise<ApiToken[]> {
  return apiTokens.list(q, sql`where being_id = ${being} order by created_at, id`);
}

export function revokeApiToken(tx: Tx, being: string, id: string): Promise<number> {
  return tx.run(sql`
    update being_api_tokens
    set revoked_at = coalesce(revoked_at, ${tx.now})
    where being_id = ${being} and id = ${id}`);
}

export async function noteUse(tx: Tx, id: string): Promise<void> {
  await apiTokens.update(tx, { usedAt: tx.now }, sql`where id = ${id}`);
}

const clients = table('oauth_clients', {
  id: named('client_id', text()),
  name: named('client_name', text()),
  redirectUris: json<readonly string[]>(),
  createdAt: number(),
  usedAt: numberOrNull(),
});
type StoredClient = Readonly<RecordOf<typeof clients.fields>>;

export function clientById(q: Query, id: string): Promise<StoredClient | undefined> {
  return clients.find(q, sql`where client_id = ${id}`);
}

export function insertClient(tx: Tx, client: Omit<StoredClient, 'createdAt' | 'usedAt'>): Promise<void> {
  return clients.insert(tx, { ...client, createdAt: tx.now, usedAt: null });
}

export const countClients = (q: Query): Promise<number> => clients.count(q, sql.empty);

export async function noteClientUse(tx: Tx, id: string): Promise<void> {
  await clients.update(tx, { usedAt: tx.now }, sql`where client_id = ${id}`);
}

/** Registering costs nothing, so what nobody ever consented to is forgotten. */
export function forgetUnusedClients(tx: Tx, before: number): Promise<number> {
  return clients.delete(tx, sql`where used_at is null and created_at < ${before}`);
}

/** Makes room for one more, however many somebody registers: the oldest that nobody ever consented to goes. */
export function forgetOldestUnused(tx: Tx): Promise<number> {
  return clients.delete(
    tx,
    sql`
    where client_id = (
      select client_id
      from oauth_clients
      where used_at is null
      order by created_at, client_id
      limit 1
    )`,
  );
}

const ofFamily = {
  family: text(),
  clientId: text(),
  being: named('being_id', text()),
  scope: text<Scope>(),
  createdAt: number(),
  expiresAt: number(),
};
const codes = table('oauth_codes', {
  ...ofFamily,
  hash: named('code_hash', text()),
  redirectUri: text(),
  resource: textOrNull(),
  challenge: named('code_challenge', text()),
  usedAt: numberOrNull(),
});
const accessTokens = table('oauth_access_tokens', {
  ...ofFamily,
  hash: named('token_hash', text()),
  revokedAt: numberOrNull(),
});
const refreshTokens = table('oauth_refresh_tokens', {
  ...ofFamily,
  ...times,
  hash: named('token_hash', text()),
  resource: textOrNull(),
});
type Code = Readonly<RecordOf<typeof codes.fields>>;
type RefreshToken = Readonly<RecordOf<typeof refreshTokens.fields>>;
export type OAuthGrant = Pick<RefreshToken, 'family' | 'clientId' | 'being' | 'scope' | 'resource'>;

type NewToken = OAuthGrant & Pick<RefreshToken, 'hash' | 'expiresAt'>;
type NewCode = NewToken & Pick<Code, 'redirectUri' | 'challenge'>;

export function insertCode(tx: Tx, code: NewCode): Promise<void> {
  return codes.insert(tx, { ...code, createdAt: tx.now, usedAt: null });
}

export function codeByHash(q: Query, hash: string): Promise<Code | undefined> {
  return codes.find(q, sql`where code_hash = ${hash}`);
}

/** One statement spends it, after all about it was judged: of two that show a code at once, one gets it. */
export async function spendCode(tx: Tx, hash: string): Promise<boolean> {
  const unused = sql`where code_hash = ${hash} and used_at is null`;
  return (await codes.update(tx, { usedAt: tx.now }, unused)) === 1;
}

export async function insertTokens(
  tx: Tx,
  { access, refresh }: Readonly<Record<'access' | 'refresh', NewToken>>,
): Promise<void> {
  await accessTokens.insert(tx, { ...access, createdAt: tx.now, revokedAt: null });
  await refreshTokens.insert(tx, { ...refresh, ...FRESH, createdAt: tx.now });
}

type AccessToken = Readonly<RecordOf<typeof accessTokens.fields>>;

export function accessByHash(q: Query, hash: string): Promise<AccessToken | undefined> {
  return accessTokens.find(q, sql`where token_hash = ${hash}`);
}

export function refreshByHash(q: Query, hash: string): Promise<RefreshToken | undefined> {
  return refreshTokens.find(q, sql`where token_hash = ${hash}`);
}

/** Like a code: of two that show a refresh token at once, one gets it and the other is a replay. */
export async function spendRefresh(tx: Tx, hash: string): Promise<boolean> {
  const unused = sql`where token_hash = ${hash} and used_at is null and revoked_at is null`;
  return (await refreshTokens.update(tx, { usedAt: tx.now }, unused)) === 1;
}

type ConsentRow = Readonly<{ client_name: string | null; since: number }> & StoredRow;
type StoredConsent = RefreshToken & Readonly<{ client: string; since: number }>;

/** A family lives as long as its one refresh token that was neither spent nor revoked. */
export async function consentsFor(q: Query, being: string, now: number): Promise<StoredConsent[]> {
  const rows = await q.all<ConsentRow>(sql`
    select ${refreshTokens.columnsOf('live')},
      (select client_name from oauth_clients where client_id = live.client_id) as client_name,
      (select min(created_at) from oauth_refresh_tokens where family = live.family) as since
    from oauth_refresh_tokens live
    where live.being_id = ${being} and live.used_at is null and live.revoked_at is null
      and live.expires_at > ${now}
    order by live.family`);
  return rows.map((row) => {
    const token = refreshTokens.read(row);
    return { ...token, client: row.client_name ?? token.clientId, since: row.since };
  });
}

/** Every token that came from one consent. */
export async function endFamily(tx: Tx, family: string): Promise<void> {
  const held = sql`where family = ${family} and revoked_at is null`;
  await accessTokens.update(tx, { revokedAt: tx.now }, held);
  await refreshTokens.update(tx, { revokedAt: tx.now }, held);
}

export function revokeAccess(tx: Tx, hash: string): Promise<number> {
  const held = sql`where token_hash = ${hash} and revoked_at is null`;
  return accessTokens.update(tx, { revokedAt: tx.now }, held);
}

const shown = { createdAt: number(), expiresAt: number() };
const links = table('person_links', {
  ...shown,
  hash: named('link_hash', text()),
  usedAt: numberOrNull(),
});
const sessions = table('person_sessions', {
  ...shown,
  hash: named('session_hash', text()),
  revokedAt: numberOrNull(),
});

/** What can no longer be shown. Spent codes and refresh tokens stay as long as a replay could matter. */
export async function forgetExpired(tx: Tx, before: number): Promise<void> {
  for (const each of [codes, accessTokens, refreshTokens, links, sessions])
    await each.delete(tx, sql`where expires_at < ${before}`);
}

export function insertLink(tx: Tx, hash: string, expiresAt: number): Promise<void> {
  return links.insert(tx, { hash, expiresAt, createdAt: tx.now, usedAt: null });
}

export async function spendLink(tx: Tx, hash: string): Promise<boolean> {
  const unused = sql`where link_hash = ${hash} and used_at is null and expires_at > ${tx.now}`;
  return (await links.update(tx, { usedAt: tx.now }, unused)) === 1;
}

export function insertSession(tx: Tx, hash: string, expiresAt: number): Promise<void> {
  return sessions.insert(tx, { hash, expiresAt, createdAt: tx.now, revokedAt: null });
}

export async function endSession(tx: Tx, hash: string): Promise<void> {
  const held = sql`where session_hash = ${hash} and revoked_at is null`;
  await sessions.update(tx, { revokedAt: tx.now }, held);
}

export async function isSession(q: Query, hash: string, now: number): Promise<boolean> {
  const held = sql`where session_hash = ${hash} and revoked_at is null and expires_at > ${now}`;
  return (await sessions.find(q, held)) !== undefined;
}

export async function forgetBeing(tx: Tx, being: string): Promise<void> {
  for (const each of [apiTokens, accessTokens, refreshTokens, codes])
    await each.delete(tx, sql`where being_id = ${being}`);
}
