// SQL of tokens, clients, consents and codes. One statement spends a code or a refresh token, so a replay
// gets none; a token family, all that came from one consent, ends together.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export type Scope = 'full' | 'read-only';

export type ApiTokenRow = Readonly<{
  id: string;
  being_id: string;
  scope: Scope;
  label: string | null;
  created_at: number;
  expires_at: number | null;
  revoked_at: number | null;
  used_at: number | null;
}>;

const API_COLUMNS = sql.raw('id, being_id, scope, label, created_at, expires_at, revoked_at, used_at');

type NewApiToken = Readonly<{
  id: string;
  hash: string;
  being: string;
  scope: Scope;
  label: string | null;
  expiresAt: number | null;
}>;

export async function insertApiToken(
  tx: Tx,
  { id, hash, being, scope, label, expiresAt }: NewApiToken,
): Promise<void> {
  await tx.run(sql`
    insert into being_api_tokens (id, token_hash, being_id, scope, label, created_at, expires_at)
    values (${id}, ${hash}, ${being}, ${scope}, ${label}, ${tx.now}, ${expiresAt})`);
}

export function apiTokenByHash(q: Query, hash: string): Promise<ApiTokenRow | undefined> {
  return q.get<ApiTokenRow>(sql`
    select ${API_COLUMNS}
    from being_api_tokens
    where token_hash = ${hash}`);
}

export function apiTokensOf(q: Query, being: string): Promise<ApiTokenRow[]> {
  return q.all<ApiTokenRow>(sql`
    select ${API_COLUMNS}
    from being_api_tokens
    where being_id = ${being}
    order by created_at, id`);
}

export function revokeApiToken(tx: Tx, being: string, id: string): Promise<number> {
  return tx.run(sql`
    update being_api_tokens
    set revoked_at = coalesce(revoked_at, ${tx.now})
    where being_id = ${being} and id = ${id}`);
}

export async function noteUse(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    update being_api_tokens
    set used_at = ${tx.now}
    where id = ${id}`);
}

export type ClientRow = Readonly<{
  client_id: string;
  client_name: string;
  redirect_uris: string;
  created_at: number;
}>;

export function clientById(q: Query, id: string): Promise<ClientRow | undefined> {
  return q.get<ClientRow>(sql`
    select client_id, client_name, redirect_uris, created_at
    from oauth_clients
    where client_id = ${id}`);
}

type NewClient = Readonly<{ id: string; name: string; redirectUris: readonly string[] }>;

export async function insertClient(tx: Tx, { id, name, redirectUris }: NewClient): Promise<void> {
  await tx.run(sql`
    insert into oauth_clients (client_id, client_name, redirect_uris, created_at)
    values (${id}, ${name}, ${JSON.stringify(redirectUris)}, ${tx.now})`);
}

export async function countClients(q: Query): Promise<number> {
  return (await q.get<{ total: number }>(sql`select count(*) as total from oauth_clients`))!.total;
}

export async function noteClientUse(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    update oauth_clients
    set used_at = ${tx.now}
    where client_id = ${id}`);
}

/** Registering costs nothing, so what nobody ever consented to is forgotten. */
export function forgetUnusedClients(tx: Tx, before: number): Promise<number> {
  return tx.run(sql`
    delete from oauth_clients
    where used_at is null and created_at < ${before}`);
}

/** Makes room for one more, however many somebody registers: the oldest that nobody ever consented to goes. */
export function forgetOldestUnused(tx: Tx): Promise<number> {
  return tx.run(sql`
    delete from oauth_clients
    where client_id = (
      select client_id
      from oauth_clients
      where used_at is null
      order by created_at, client_id
      limit 1
    )`);
}

export type OAuthGrant = Readonly<{
  family: string;
  clientId: string;
  being: string;
  scope: Scope;
  resource: string | null;
}>;

type GrantRow = Readonly<{
  family: string;
  client_id: string;
  being_id: string;
  scope: Scope;
  resource: string | null;
}>;

function toGrant(row: GrantRow): OAuthGrant {
  return {
    family: row.family,
    clientId: row.client_id,
    being: row.being_id,
    scope: row.scope,
    resource: row.resource,
  };
}

type NewCode = OAuthGrant &
  Readonly<{ hash: string; redirectUri: string; challenge: string; expiresAt: number }>;

export async function insertCode(tx: Tx, code: NewCode): Promise<void> {
  await tx.run(sql`
    insert into oauth_codes (
      code_hash, family, client_id, being_id, scope, redirect_uri, resource, code_challenge, created_at, expires_at
    )
    values (
      ${code.hash}, ${code.family}, ${code.clientId}, ${code.being}, ${code.scope}, ${code.redirectUri}, ${code.resource},
      ${code.challenge}, ${tx.now}, ${code.expiresAt}
    )`);
}

export type CodeFacts = OAuthGrant &
  Readonly<{ redirectUri: string; challenge: string; expiresAt: number; isSpent: boolean }>;

type CodeRow = GrantRow &
  Readonly<{ redirect_uri: string; code_challenge: string; expires_at: number; used_at: number | null }>;

export async function codeByHash(q: Query, hash: string): Promise<CodeFacts | undefined> {
  const row = await q.get<CodeRow>(sql`
    select family, client_id, being_id, scope, resource, redirect_uri, code_challenge, expires_at, used_at
    from oauth_codes
    where code_hash = ${hash}`);
  return (
    row && {
      ...toGrant(row),
      redirectUri: row.redirect_uri,
      challenge: row.code_challenge,
      expiresAt: row.expires_at,
      isSpent: row.used_at !== null,
    }
  );
}

/** One statement spends it, after all about it was judged: of two that show a code at once, one gets it. */
export async function spendCode(tx: Tx, hash: string): Promise<boolean> {
  const spent = await tx.run(sql`
    update oauth_codes
    set used_at = ${tx.now}
    where code_hash = ${hash} and used_at is null`);
  return spent === 1;
}

type NewToken = OAuthGrant & Readonly<{ hash: string; expiresAt: number }>;

export async function insertAccessToken(tx: Tx, token: NewToken): Promise<void> {
  await tx.run(sql`
    insert into oauth_access_tokens (token_hash, family, client_id, being_id, scope, created_at, expires_at)
    values (
      ${token.hash}, ${token.family}, ${token.clientId}, ${token.being}, ${token.scope}, ${tx.now}, ${token.expiresAt}
    )`);
}

export async function insertRefreshToken(tx: Tx, token: NewToken): Promise<void> {
  await tx.run(sql`
    insert into oauth_refresh_tokens (
      token_hash, family, client_id, being_id, scope, resource, created_at, expires_at
    )
    values (
      ${token.hash}, ${token.family}, ${token.clientId}, ${token.being}, ${token.scope}, ${token.resource}, ${tx.now},
      ${token.expiresAt}
    )`);
}

export type AccessRow = Readonly<{
  family: string;
  being_id: string;
  client_id: string;
  scope: Scope;
  expires_at: number;
  revoked_at: number | null;
}>;

export function accessByHash(q: Query, hash: string): Promise<AccessRow | undefined> {
  return q.get<AccessRow>(sql`
    select family, being_id, client_id, scope, expires_at, revoked_at
    from oauth_access_tokens
    where token_hash = ${hash}`);
}

export type RefreshFacts = OAuthGrant & Readonly<{ expiresAt: number; isSpent: boolean }>;

export async function refreshByHash(q: Query, hash: string): Promise<RefreshFacts | undefined> {
  const row = await q.get<
    GrantRow & { expires_at: number; used_at: number | null; revoked_at: number | null }
  >(sql`
    select family, client_id, being_id, scope, resource, expires_at, used_at, revoked_at
    from oauth_refresh_tokens
    where token_hash = ${hash}`);
  return (
    row && {
      ...toGrant(row),
      expiresAt: row.expires_at,
      isSpent: row.used_at !== null || row.revoked_at !== null,
    }
  );
}

/** Like a code: of two that show a refresh token at once, one gets it and the other is a replay. */
export async function spendRefresh(tx: Tx, hash: string): Promise<boolean> {
  const spent = await tx.run(sql`
    update oauth_refresh_tokens
    set used_at = ${tx.now}
    where token_hash = ${hash} and used_at is null and revoked_at is null`);
  return spent === 1;
}

export type ConsentRow = Readonly<{
  family: string;
  client_id: string;
  client_name: string | null;
  scope: Scope;
  since: number;
  renewed_at: number;
  expires_at: number;
}>;

/** A family lives as long as its one refresh token that was neither spent nor revoked. */
export function consentsFor(q: Query, being: string, now: number): Promise<ConsentRow[]> {
  return q.all<ConsentRow>(sql`
    select
      live.family, live.client_id, live.scope, live.created_at as renewed_at, live.expires_at,
      (select client_name from oauth_clients where client_id = live.client_id) as client_name,
      (select min(created_at) from oauth_refresh_tokens where family = live.family) as since
    from oauth_refresh_tokens live
    where live.being_id = ${being} and live.used_at is null and live.revoked_at is null
      and live.expires_at > ${now}
    order by live.family`);
}

/** Every token that came from one consent. */
export async function endFamily(tx: Tx, family: string): Promise<void> {
  await tx.run(sql`
    update oauth_access_tokens
    set revoked_at = ${tx.now}
    where family = ${family} and revoked_at is null`);
  await tx.run(sql`
    update oauth_refresh_tokens
    set revoked_at = ${tx.now}
    where family = ${family} and revoked_at is null`);
}

export function revokeAccess(tx: Tx, hash: string): Promise<number> {
  return tx.run(sql`
    update oauth_access_tokens
    set revoked_at = ${tx.now}
    where token_hash = ${hash} and revoked_at is null`);
}

/** What can no longer be shown. Spent codes and refresh tokens stay as long as a replay could matter. */
export async function forgetExpired(tx: Tx, before: number): Promise<void> {
  for (const table of [
    'oauth_codes',
    'oauth_access_tokens',
    'oauth_refresh_tokens',
    'person_links',
    'person_sessions',
  ]) {
    await tx.run(sql`
      delete from ${sql.raw(table)}
      where expires_at < ${before}`);
  }
}

export async function insertLink(tx: Tx, hash: string, expiresAt: number): Promise<void> {
  await tx.run(sql`
    insert into person_links (link_hash, created_at, expires_at)
    values (${hash}, ${tx.now}, ${expiresAt})`);
}

export async function spendLink(tx: Tx, hash: string): Promise<boolean> {
  const spent = await tx.run(sql`
    update person_links
    set used_at = ${tx.now}
    where link_hash = ${hash} and used_at is null and expires_at > ${tx.now}`);
  return spent === 1;
}

export async function insertSession(tx: Tx, hash: string, expiresAt: number): Promise<void> {
  await tx.run(sql`
    insert into person_sessions (session_hash, created_at, expires_at)
    values (${hash}, ${tx.now}, ${expiresAt})`);
}

export async function endSession(tx: Tx, hash: string): Promise<void> {
  await tx.run(sql`
    update person_sessions
    set revoked_at = ${tx.now}
    where session_hash = ${hash} and revoked_at is null`);
}

export async function isSession(q: Query, hash: string, now: number): Promise<boolean> {
  const row = await q.get<{ found: number }>(sql`
    select 1 as found
    from person_sessions
    where session_hash = ${hash} and revoked_at is null and expires_at > ${now}`);
  return row !== undefined;
}

const OF_BEINGS = ['being_api_tokens', 'oauth_access_tokens', 'oauth_refresh_tokens', 'oauth_codes'] as const;

export async function forgetBeing(tx: Tx, being: string): Promise<void> {
  for (const name of OF_BEINGS)
    await tx.run(sql`
      delete from ${sql.raw(name)}
      where being_id = ${being}`);
}
