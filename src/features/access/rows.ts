// SQL of agent tokens, sessions and revoked signatures. What was ended or taken back stays so, on every hub.
import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';
import { json, number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../store/table.ts';

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
  tokens.get(q, sql`select ${tokens.columns} from agent_tokens where id = ${id}`);

export const listTokens = (q: Query): Promise<StoredToken[]> =>
  tokens.all(q, sql`select ${tokens.columns} from agent_tokens order by created_at, id`);

/** The first revocation counts; a later one changes nothing. */
export function revokeToken(tx: Tx, id: string): Promise<number> {
  return tx.run(sql`
    update agent_tokens
    set revoked_at = ${tx.now}
    where id = ${id} and revoked_at is null`);
}

export function markUsed(tx: Tx, id: string): Promise<number> {
  return tx.run(sql`
    update agent_tokens
    set used_at = ${tx.now}
    where id = ${id}`);
}

export type SessionRow = Readonly<{ seen_at: number; ended: number; until: number }>;

export function findSession(q: Query, seat: string): Promise<SessionRow | undefined> {
  return q.get<SessionRow>(sql`
    select seen_at, ended, until
    from mcp_sessions
    where seat = ${seat}`);
}

/** An ended session stays ended, whatever sign of life was still on its way. */
export function saveSession(tx: Tx, seat: string, row: SessionRow): Promise<number> {
  return tx.run(sql`
    insert into mcp_sessions (seat, seen_at, ended, until)
    values (${seat}, ${row.seen_at}, ${row.ended}, ${row.until})
    on conflict (seat) do update
    set seen_at = excluded.seen_at, ended = excluded.ended, until = excluded.until
    where mcp_sessions.ended = 0`);
}

export function forgetSessions(tx: Tx, before: number): Promise<number> {
  return tx.run(sql`
    delete from mcp_sessions
    where until < ${before}`);
}

/** Taken back twice, it is taken back. */
export function insertRevokedUrl(tx: Tx, id: string, until: number): Promise<number> {
  return tx.run(sql`
    insert into attach_revocations (id, revoked_at, until)
    values (${id}, ${tx.now}, ${until})
    on conflict (id) do nothing`);
}

export async function listRevokedUrls(q: Query, now: number): Promise<string[]> {
  const rows = await q.all<{ id: string }>(sql`
    select id
    from attach_revocations
    where until > ${now}`);
  return rows.map(({ id }) => id);
}

/** What has run out by itself needs no revocation any more. */
export function forgetRevokedUrls(tx: Tx, before: number): Promise<number> {
  return tx.run(sql`
    delete from attach_revocations
    where until < ${before}`);
}

export const teamsOfTokens = sql`select team from agent_tokens where team is not null`;
