// SQL of agent tokens, sessions and revoked signatures. What was ended or taken back stays so, on every hub.
import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';
import {
  flag,
  json,
  named,
  number,
  numberOrNull,
  type RecordOf,
  table,
  text,
  textOrNull,
} from '../../store/table.ts';

const tokens = table('agent_tokens', {
  id: text(),
  hash: text(),
  agent: text(),
  team: textOrNull(),
  scopes: json<string[]>(),
  label: textOrNull(),
  profile: textOrNull(),
  createdAt: number(),
  expiresAt: numberOrNull(),
  revokedAt: numberOrNull(),
  usedAt: numberOrNull(),
});
export type StoredToken = Readonly<RecordOf<typeof tokens.fields>>;

export const insertToken = (tx: Tx, token: StoredToken): Promise<void> => tokens.insert(tx, token);

export const findToken = (q: Query, id: string): Promise<StoredToken | undefined> =>
  tokens.find(q, sql`where id = ${id}`);

export const listTokens = (q: Query): Promise<StoredToken[]> => tokens.list(q, sql`order by created_at, id`);

/** The first revocation counts; a later one changes nothing. */
export function revokeToken(tx: Tx, id: string): Promise<number> {
  return tokens.update(tx, { revokedAt: tx.now }, sql`where id = ${id} and revoked_at is null`);
}

export function markUsed(tx: Tx, id: string): Promise<number> {
  return tokens.update(tx, { usedAt: tx.now }, sql`where id = ${id}`);
}

const sessions = table('mcp_sessions', {
  seat: text(),
  seenAt: number(),
  isEnded: named('ended', flag()),
  until: number(),
});
type StoredSession = Readonly<RecordOf<typeof sessions.fields>>;

export function findSession(q: Query, seat: string): Promise<StoredSession | undefined> {
  return sessions.find(q, sql`where seat = ${seat}`);
}

/** An ended session stays ended, whatever sign of life was still on its way. */
export function saveSession(tx: Tx, session: StoredSession): Promise<number> {
  return tx.run(sql`
    insert into mcp_sessions ${sessions.values(session)}
    on conflict (seat) do update
    set seen_at = excluded.seen_at, ended = excluded.ended, until = excluded.until
    where mcp_sessions.ended = 0`);
}

export function forgetSessions(tx: Tx, before: number): Promise<number> {
  return sessions.delete(tx, sql`where until < ${before}`);
}

const revocations = table('attach_revocations', { id: text(), revokedAt: number(), until: number() });

/** Taken back twice, it is taken back. */
export function insertRevokedUrl(tx: Tx, id: string, until: number): Promise<number> {
  return tx.run(sql`
    insert into attach_revocations ${revocations.values({ id, revokedAt: tx.now, until })}
    on conflict (id) do nothing`);
}

export async function listRevokedUrls(q: Query, now: number): Promise<string[]> {
  return (await revocations.list(q, sql`where until > ${now}`)).map(({ id }) => id);
}

/** What has run out by itself needs no revocation any more. */
export function forgetRevokedUrls(tx: Tx, before: number): Promise<number> {
  return revocations.delete(tx, sql`where until < ${before}`);
}

export const teamsOfTokens = sql`select team from agent_tokens where team is not null`;
