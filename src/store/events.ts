// Events as rows. They are written last in their transaction, so their sequence is the commit order
// without gaps.
import type { Event, NewEvent } from '../kernel/event.ts';
import type { Actor } from '../kernel/principal.ts';
import type { Query } from './database.ts';
import { sql, type Sql } from './sql.ts';

type EventRow = {
  seq: number;
  at: number;
  kind: string;
  subject: string;
  realm: string;
  team: string | null;
  actor: string;
  asserted: number;
  hub: string;
  data: string | null;
};

export type EventOrigin = Readonly<{ at: number; actor: Actor; hub: string }>;

export function makeEvent(event: NewEvent, seq: number, origin: EventOrigin): Event {
  return { ...event, seq, ...origin };
}

/**
 * Half of a character, which imports and files may hold, is made whole as the drivers do it with every other
 * text.
 */
export function toRow(event: Event): EventRow {
  return {
    seq: event.seq,
    at: event.at,
    kind: event.kind,
    subject: event.subject.toWellFormed(),
    realm: event.realm,
    team: event.team?.toWellFormed() ?? null,
    actor: event.actor.id.toWellFormed(),
    asserted: event.actor.asserted ? 1 : 0,
    hub: event.hub,
    data: event.data ? JSON.stringify(event.data) : null,
  };
}

function fromRow(row: EventRow): Event {
  return {
    seq: row.seq,
    at: row.at,
    kind: row.kind,
    subject: row.subject,
    realm: row.realm as Event['realm'],
    ...(row.team === null ? {} : { team: row.team }),
    ...(row.data === null ? {} : { data: JSON.parse(row.data) as NonNullable<Event['data']> }),
    actor: { id: row.actor, asserted: row.asserted === 1 },
    hub: row.hub,
  };
}

const columns = sql.raw('seq, at, kind, subject, realm, team, actor, asserted, hub, data');

export async function eventsAfter(q: Query, after: number, limit: number): Promise<Event[]> {
  const rows = await q.all<EventRow>(sql`
    select ${columns}
    from events
    where seq > ${after}
    order by seq
    limit ${limit}`);
  return rows.map(fromRow);
}

/** The history of one thing, oldest first. */
export async function eventsAbout(
  q: Query,
  subject: string,
  page: { after: number; limit: number },
): Promise<Event[]> {
  const rows = await q.all<EventRow>(sql`
    select ${columns}
    from events
    where subject = ${subject} and seq > ${page.after}
    order by seq
    limit ${page.limit}`);
  return rows.map(fromRow);
}

/** The same, newest first. */
export async function newestAbout(q: Query, subject: string, limit: number): Promise<Event[]> {
  const rows = await q.all<EventRow>(sql`
    select ${columns}
    from events
    where subject = ${subject}
    order by seq desc
    limit ${limit}`);
  return rows.map(fromRow);
}

export async function newestEventOf(
  q: Query,
  subject: string,
  kinds: readonly string[],
): Promise<Event | undefined> {
  const row = await q.get<EventRow>(sql`
    select ${columns}
    from events
    where subject = ${subject} and kind in ${sql.in(kinds)}
    order by seq desc
    limit 1`);
  return row && fromRow(row);
}

export const readHead: Sql = sql`select value from counters where name = 'events'`;

/** The newest sequence number that retention has removed; 0 when nothing was. */
export const readFloor: Sql = sql`select value from counters where name = 'events_floor'`;

export type LogExtent = Readonly<{
  head: number;
  floor: number;
  /** When the oldest event that is left was written. */
  oldestAt: number | null;
  /** The log has no gaps: anything but 0 was done to it from outside. */
  missing: number;
}>;

export async function readExtent(q: Query): Promise<LogExtent> {
  const head = (await q.get<{ value: number }>(readHead))?.value ?? 0;
  const floor = (await q.get<{ value: number }>(readFloor))?.value ?? 0;
  const left = await q.get<{ count: number; oldestAt: number | null }>(sql`
    select count(*) as count, min(at) as "oldestAt"
    from events
    where seq > ${floor} and seq <= ${head}`);
  return { head, floor, oldestAt: left!.oldestAt, missing: head - floor - left!.count };
}
