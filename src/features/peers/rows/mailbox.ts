import type { Query, Tx } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import { CLOCKS_APART_MS, GIVEN_UP_MS, MAX_LEASE_MS, type MailboxKey } from '../rules.ts';
import { messages, selectMessages, type StoredMessage } from './messages.ts';

/** Who fetches: one session, or (`peerId` undefined) the agent itself at its durable address, where all its mail is. */
export type MailReader = MailboxKey & Readonly<{ peerId: string | undefined }>;

/**
 * The mail of a reader. What was sent to one session is not for another of the same agent while it lives; when it is
 * gone, it falls to whoever comes next.
 */
function isFor({ peerId, ...box }: MailReader, now: number): Sql {
  const address = isIn(box);
  if (peerId === undefined) return address;
  return sql`${address}
    and (to_peer is null or to_peer = ${peerId} or not exists (
      select 1
      from peers as target
      where target.peer_id = to_peer and target.agent_id = to_agent
        and ${isAlive(now)}
    ))`;
}

function isIn({ team, circle, agentId }: MailboxKey): Sql {
  return sql`team = ${team} and circle = ${circle} and to_agent = ${agentId}`;
}

/** Of `peers as target`. A time that lies far ahead comes from before the clock was set back. */
function isAlive(now: number): Sql {
  return sql`target.last_seen between ${now - GIVEN_UP_MS} and ${now + GIVEN_UP_MS}`;
}

/** Waiting and not being worked on. A lease longer than any we grant comes from before the clock was set back. */
function isDue(now: number): Sql {
  const longest = now + MAX_LEASE_MS + CLOCKS_APART_MS;
  return sql`expires_at > ${now}
    and (state = 'queued' or (state = 'delivered' and (lease_until <= ${now} or lease_until > ${longest})))`;
}

export function listDue(
  q: Query,
  reader: MailReader,
  page: Readonly<{ limit: number; now: number }>,
): Promise<StoredMessage[]> {
  const { limit, now } = page;
  return selectMessages(q, sql`${isFor(reader, now)} and ${isDue(now)}`, sql`order by seq limit ${limit}`);
}

export async function hasDue(q: Query, reader: MailReader, now: number): Promise<boolean> {
  const row = await q.get(sql`
    select 1 as found
    from peer_messages
    where ${isFor(reader, now)} and ${isDue(now)}
    limit 1`);
  return row !== undefined;
}

/** When a waiting reader has to look again though nothing came in: a lease runs out, or another session has been silent for too long. */
export async function nextDue(q: Query, reader: MailReader, now: number): Promise<number | undefined> {
  const lease = await q.get<{ at: number | null }>(sql`
    select min(lease_until) as at
    from peer_messages
    where ${isFor(reader, now)} and state = 'delivered' and expires_at > ${now}`);
  const silentSince = reader.peerId === undefined ? undefined : await longestSilence(q, reader, now);
  const fallsDue = silentSince === undefined ? undefined : silentSince + GIVEN_UP_MS + 1;
  const times = [lease?.at ?? undefined, fallsDue].filter((at) => at !== undefined);
  return times.length === 0 ? undefined : Math.min(...times);
}

/** Since when the quietest of the other living sessions that mail waits for has not been heard of. */
async function longestSilence(
  q: Query,
  { team, circle, agentId, peerId }: MailReader,
  now: number,
): Promise<number | undefined> {
  const row = await q.get<{ since: number | null }>(sql`
    select min(target.last_seen) as since
    from peer_messages as message
    join peers as target on target.peer_id = message.to_peer
    where message.team = ${team} and message.circle = ${circle} and message.to_agent = ${agentId}
      and message.to_peer <> ${peerId ?? ''}
      and message.state in ('queued', 'delivered') and message.expires_at > ${now} and ${isAlive(now)}`);
  return row?.since ?? undefined;
}

/**
 * How a fetched message is marked. Without a lease the fetch itself is the acknowledgement. The columns `offers`
 * and `offered_seat` tell how often it went along with an answer, and with whose.
 */
export type Handing = Readonly<{
  limit: number;
  leaseMs: number | undefined;
  seat?: string | null;
  isPiggyback?: true;
}>;

/**
 * Hands out what is due. Rows that another reader of the same mailbox is fetching are passed over, so no message is
 * handed to two readers under one lease.
 */
export async function takeDue(
  tx: Tx,
  reader: MailReader,
  { limit, leaseMs, seat = null, isPiggyback }: Handing,
): Promise<StoredMessage[]> {
  const bounded = isPiggyback ? sql`and offers < 3` : sql.empty;
  const due = await tx.all<{ id: string }>(sql`
    select id
    from peer_messages
    where ${isFor(reader, tx.now)} and ${isDue(tx.now)} ${bounded}
    order by seq
    limit ${limit}
    ${tx.dialect.skipLocked}`);
  if (due.length === 0) return [];
  const marks =
    leaseMs === undefined
      ? sql`state = 'acked', acked_at = ${tx.now}, lease_until = null`
      : sql`state = 'delivered', lease_until = ${tx.now + leaseMs}`;
  const taken = await messages.all(
    tx,
    sql`
    update peer_messages
    set ${marks}, delivered_at = coalesce(delivered_at, ${tx.now}), deliveries = deliveries + 1,
      offers = offers + ${isPiggyback ? 1 : 0}, offered_seat = ${seat}
    where id in ${sql.in(due.map(({ id }) => id))}
    returning ${messages.columns}`,
  );
  return taken.sort((a, b) => a.seq - b.seq);
}

/** Marks as acknowledged what is still waiting; answers which ids that were. */
export async function ackMessages(tx: Tx, reader: MailReader, ids: readonly string[]): Promise<string[]> {
  return ack(tx, sql`${isFor({ ...reader, peerId: undefined }, tx.now)} and id in ${sql.in(ids)}`);
}

/** A seat that makes another call has seen the answer of the one before, and the mail that came with it. */
export async function ackPiggybacked(tx: Tx, reader: MailReader, seat: string): Promise<string[]> {
  return ack(tx, sql`${isFor(reader, tx.now)} and state = 'delivered' and offered_seat = ${seat}`);
}

async function ack(tx: Tx, condition: Sql): Promise<string[]> {
  const rows = await tx.all<{ id: string }>(sql`
    update peer_messages
    set state = 'acked', acked_at = ${tx.now}, lease_until = null, delivered_at = coalesce(delivered_at, ${tx.now})
    where ${condition} and state in ('queued', 'delivered') and expires_at > ${tx.now}
    returning id`);
  return rows.map(({ id }) => id);
}

export async function hasPiggybacked(
  q: Query,
  reader: MailReader,
  { seat, now }: Readonly<{ seat: string; now: number }>,
): Promise<boolean> {
  const row = await q.get(sql`
    select 1 as found
    from peer_messages
    where ${isFor(reader, now)} and state = 'delivered' and offered_seat = ${seat} and expires_at > ${now}
    limit 1`);
  return row !== undefined;
}

export async function countWaiting(q: Query, box: MailboxKey, now: number): Promise<number> {
  const row = await q.get<{ total: number }>(sql`
    select count(*) as total
    from peer_messages
    where ${isIn(box)} and state in ('queued', 'delivered') and expires_at > ${now}`);
  return row!.total;
}

/** Mail that a broken stream may never have shown is due again at once. */
export function releaseAfter(tx: Tx, reader: MailReader, seq: number): Promise<number> {
  return tx.run(sql`
    update peer_messages
    set lease_until = ${tx.now}
    where ${isFor(reader, tx.now)} and state = 'delivered' and seq > ${seq}`);
}

/** A session that leaves gives its mail back to the agent's address. */
export function unaddress(tx: Tx, peerId: string, box: MailboxKey): Promise<number> {
  return tx.run(sql`
    update peer_messages
    set to_peer = null,
      lease_until = case when state = 'delivered' then ${tx.now} else lease_until end
    where ${isIn(box)} and to_peer = ${peerId} and state in ('queued', 'delivered')`);
}
