import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { Turn } from '../credit.ts';

type TurnRow = {
  id: string;
  session_id: string;
  retrieved_memory_ids: string;
  outcome: string | null;
  last_at: number;
};

export type StoredTurn = Turn & Readonly<{ session: string; outcome: string | null; lastAt: number }>;

const columns = sql.raw('id, session_id, retrieved_memory_ids, outcome, last_at');

function toTurn(row: TurnRow): StoredTurn {
  return {
    id: row.id,
    session: row.session_id,
    retrieved: JSON.parse(row.retrieved_memory_ids) as Turn['retrieved'],
    outcome: row.outcome,
    lastAt: row.last_at,
  };
}

/** The newest turns of a session, newest first. */
export async function turnsOfSession(
  q: Query,
  { vault, session }: Readonly<{ vault: string; session: string }>,
  limit: number,
): Promise<StoredTurn[]> {
  const rows = await q.all<TurnRow>(sql`
    select ${columns}
    from turn_records
    where vault = ${vault} and session_id = ${session}
    order by id desc
    limit ${limit}`);
  return rows.map(toTurn);
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

export type NewTurn = Turn & Readonly<{ vault: string; session: string; agent: string | null }>;

export async function insertTurn(tx: Tx, turn: NewTurn): Promise<void> {
  await tx.run(sql`
    insert into turn_records (id, vault, session_id, agent_id, retrieved_memory_ids, created_at, last_at)
    values (${turn.id}, ${turn.vault}, ${turn.session}, ${turn.agent}, ${JSON.stringify(turn.retrieved)}, ${tx.now}, ${tx.now})`);
}

export async function extendTurn(tx: Tx, turn: Turn): Promise<void> {
  await tx.run(sql`
    update turn_records
    set retrieved_memory_ids = ${JSON.stringify(turn.retrieved)}, last_at = ${tx.now}
    where id = ${turn.id}`);
}

/** The first outcome of a turn stays; it also ends the turn. */
export async function closeTurn(tx: Tx, id: string, outcome: string): Promise<void> {
  await tx.run(sql`
    update turn_records
    set outcome = ${outcome}
    where id = ${id} and outcome is null`);
}

export async function dropTurnsBefore(tx: Tx, vault: string, before: number): Promise<void> {
  await tx.run(sql`
    delete from turn_records
    where vault = ${vault} and last_at < ${before}`);
  await tx.run(sql`
    delete from credit_signals
    where vault = ${vault} and created_at < ${before}`);
}
