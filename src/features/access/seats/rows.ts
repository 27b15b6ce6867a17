// The rows of seats: who was heard of when, and which names are taken.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { flag, number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';

const seats = table('seats', {
  seat: text(),
  name: text(),
  isBound: flag(),
  /** Empty: of none. */
  teamId: text(),
  client: text(),
  server: text(),
  pid: numberOrNull(),
  parent: numberOrNull(),
  host: textOrNull(),
  openedAt: number(),
  calledAt: number(),
  seenAt: number(),
  endedAt: numberOrNull(),
});
export type StoredSeat = Readonly<RecordOf<typeof seats.fields>>;

export const findSeat = (q: Query, seat: string): Promise<StoredSeat | undefined> =>
  seats.find(q, sql`where seat = ${seat}`);

/** Those that gave a sign of life since then; whether their processes still run is for the caller to see. */
export function listSeatsSince(q: Query, since: number, teamId?: string): Promise<StoredSeat[]> {
  return seats.list(
    q,
    sql`
    where ended_at is null and seen_at > ${since} ${teamId === undefined ? sql.empty : sql`and team_id = ${teamId}`}
    order by opened_at, seat
    limit 1000`,
  );
}

export async function putSeat(tx: Tx, seat: StoredSeat): Promise<void> {
  await tx.run(sql`
    insert into seats ${seats.values(seat)}
    on conflict (seat) do update
    set ${seats.overwriteBut(['seat', 'openedAt'])}`);
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
  return seats.update(tx, { endedAt: tx.now }, sql`where seat = ${seat} and ended_at is null`);
}

/** A clock that was set back leaves signs that lie ahead; the next one of who is there corrects its own. */
export function pullBackSeats(tx: Tx, latest: number): Promise<number> {
  return seats.update(tx, { seenAt: tx.now }, sql`where ended_at is null and seen_at > ${latest}`);
}

export function forgetSeats(tx: Tx, before: number): Promise<number> {
  return seats.delete(tx, sql`where seen_at < ${before}`);
}

/** Living seats of a team whose names begin alike; so many that every number is taken are enough. */
export function listNamesakes(
  q: Query,
  slug: string,
  { since, teamId }: Readonly<{ since: number; teamId: string }>,
): Promise<StoredSeat[]> {
  return seats.list(
    q,
    sql`
    where team_id = ${teamId} and ended_at is null and seen_at > ${since}
      and name >= ${slug} and name < ${`${slug}~`}
    limit 200`,
  );
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

/** When one of these names was last heard of on a connection other than this one, which is over. */
export async function lastHeardOf(
  q: Query,
  { teamId, names, but, livingSince }: LastHeard & Readonly<{ livingSince: number }>,
): Promise<number | undefined> {
  const heard = await q.get<{ at: number | null }>(sql`
    select max(coalesce(ended_at, seen_at)) as at
    from seats
    where team_id = ${teamId} and name in ${sql.in(names)} and seat <> ${but ?? ''}
      and (ended_at is not null or seen_at <= ${livingSince})`);
  return heard?.at ?? undefined;
}

export type LastHeard = Readonly<{ teamId: string; names: readonly string[]; but: string | null }>;

export function countSeats(q: Query): Promise<number> {
  return seats.count(q, sql`where ended_at is null`);
}
