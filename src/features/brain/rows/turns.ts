import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { json, named, number, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';
import type { Turn } from '../credit.ts';

const turns = table('turn_records', {
  id: text(),
  vault: text(),
  session: named('session_id', text()),
  agent: named('agent_id', textOrNull()),
  retrieved: named('retrieved_memory_ids', json<Turn['retrieved']>()),
  outcome: textOrNull(),
  createdAt: number(),
  lastAt: number(),
});
export type StoredTurn = Readonly<RecordOf<typeof turns.fields>>;

/** The newest turns of a session, newest first. */
export function turnsOfSession(
  q: Query,
  { vault, session }: Readonly<{ vault: string; session: string }>,
  limit: number,
): Promise<StoredTurn[]> {
  return turns.list(
    q,
    sql`where vault = ${vault} and session_id = ${session} order by id desc limit ${limit}`,
  );
}

/** Sessions that remembered something since then: those of an agent, or all. */
export async function sessionsSince(
  q: Query,
  vault: string,
  { since, agent }: Readonly<{ since: number; agent?: string | undefined }>,
): Promise<string[]> {
  const rows = await q.all<{ session_id: string }>(sql`
    select session_id
    from turn_records
    where vault = ${vault} and last_at >= ${since} ${agent === undefined ? sql.empty : sql`and agent_id = ${agent}`}
    group by session_id
    order by max(last_at) desc
    limit 100`);
  return rows.map((row) => row.session_id);
}

/** Has any session remembered something since then? */
export async function hasTurnSince(q: Query, vault: string, since: number): Promise<boolean> {
  const found = await q.get(sql`
    select 1 as one
    from turn_records
    where vault = ${vault} and last_at >= ${since}
    limit 1`);
  return found !== undefined;
}

type NewTurn = Pick<StoredTurn, 'id' | 'vault' | 'session' | 'agent' | 'retrieved'>;

export function insertTurn(tx: Tx, turn: NewTurn): Promise<void> {
  return turns.insert(tx, { ...turn, outcome: null, createdAt: tx.now, lastAt: tx.now });
}

export async function extendTurn(tx: Tx, { id, retrieved }: Turn): Promise<void> {
  await turns.update(tx, { retrieved, lastAt: tx.now }, sql`where id = ${id}`);
}

/** The first outcome of a turn stays; it also ends the turn. */
export async function closeTurn(tx: Tx, id: string, outcome: string): Promise<void> {
  await turns.update(tx, { outcome }, sql`where id = ${id} and outcome is null`);
}

export async function dropTurnsBefore(tx: Tx, vault: string, before: number): Promise<void> {
  await turns.delete(tx, sql`where vault = ${vault} and last_at < ${before}`);
  await tx.run(sql`
    delete from credit_signals
    where vault = ${vault} and created_at < ${before}`);
}
