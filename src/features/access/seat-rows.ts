// The rows of seats: who was heard of when, and which names are taken.
import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';

export type SeatRow = Readonly<{
  seat: string;
  name: string;
  is_bound: number;
  team_id: string;
  client: string;
  server: string;
  pid: number | null;
  parent: number | null;
  host: string | null;
  opened_at: number;
  called_at: number;
  seen_at: number;
  ended_at: number | null;
}>;

const COLUMNS = sql.raw(
  'seat, name, is_bound, team_id, client, server, pid, parent, host, opened_at, called_at, seen_at, ended_at',
);

export function findSeat(q: Query, seat: string): Promise<SeatRow | undefined> {
  return q.get<SeatRow>(sql`
    select ${COLUMNS}
    from seats
    where seat = ${seat}`);
}

/** Those that gave a sign of life since then; whether their processes still run is for the caller to see. */
export function listSeatsSince(q: Query, since: number, teamId?: string): Promise<SeatRow[]> {
  return q.all<SeatRow>(sql`
    select ${COLUMNS}
    from seats
    where ended_at is null and seen_at > ${since} ${teamId === undefined ? sql.empty : sql`and team_id = ${teamId}`}
    order by opened_at, seat
    limit 1000`);
}

export async function putSeat(tx: Tx, row: SeatRow): Promise<void> {
  const { seat, name, is_bound, team_id, client, server, pid, parent, host } = row;
  await tx.run(sql`
    insert into seats (${COLUMNS})
    values (${seat}, ${name}, ${is_bound}, ${team_id}, ${client}, ${server}, ${pid}, ${parent}, ${host},
      ${row.opened_at}, ${row.called_at}, ${row.seen_at}, ${row.ended_at})
    on conflict (seat) do update
    set name = excluded.name, is_bound = excluded.is_bound, team_id = excluded.team_id, client = excluded.client,
      server = excluded.server, pid = excluded.pid, parent = excluded.parent, host = excluded.host,
      called_at = excluded.called_at, seen_at = excluded.seen_at, ended_at = null`);
}

/** A sign of life of who was thought to have left brings the seat back. */
export async function signSeat(
  tx: Tx,
  seat: string,
  at: Readonly<{ called: number; seen: number }>,
): Promise<number> {
  return tx.run(sql`
    update seats
    set called_at = case when called_at < ${at.called} then ${at.called} else called_at end,
      seen_at = case when seen_at < ${at.seen} then ${at.seen} else seen_at end,
      ended_at = null
    where seat = ${seat}`);
}

/** Answers whether it was still there. */
export function endSeat(tx: Tx, seat: string): Promise<number> {
  return tx.run(sql`
    update seats
    set ended_at = ${tx.now}
    where seat = ${seat} and ended_at is null`);
}

/** A clock that was set back leaves signs that lie ahead; the next one of who is there corrects its own. */
export function pullBackSeats(tx: Tx, latest: number): Promise<number> {
  return tx.run(sql`
    update seats
    set seen_at = ${tx.now}
    where ended_at is null and seen_at > ${latest}`);
}

export function forgetSeats(tx: Tx, before: number): Promise<number> {
  return tx.run(sql`
    delete from seats
    where seen_at < ${before}`);
}

/** Living seats of a team whose names begin alike; so many that every number is taken are enough. */
export function listNamesakes(
  q: Query,
  slug: string,
  { since, teamId }: Readonly<{ since: number; teamId: string }>,
): Promise<SeatRow[]> {
  return q.all<SeatRow>(sql`
    select ${COLUMNS}
    from seats
    where team_id = ${teamId} and ended_at is null and seen_at > ${since}
      and name >= ${slug} and name < ${`${slug}~`}
    limit 200`);
}

/** Agents that hold a token: their names are taken, whether they are here or not. */
export async function listTokenNames(q: Query, slug: string): Promise<string[]> {
  const rows = await q.all<{ agent: string }>(sql`
    select distinct agent
    from agent_tokens
    where revoked_at is null and lower(agent) >= ${slug} and lower(agent) < ${`${slug}~`}
    limit 200`);
  return rows.map(({ agent }) => agent);
}
