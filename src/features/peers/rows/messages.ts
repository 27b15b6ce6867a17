// SQL of mail and threads. Numbers are taken under a row lock, so they have no gaps and are in commit
// order.
import type { Query, Tx } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import type { MessageState, MessageType, StoredMessage } from '../message.ts';
import type { MailboxKey, Party } from '../rules.ts';

type MessageRow = {
  id: string;
  team: string;
  circle: string;
  to_agent: string;
  seq: number;
  to_peer: string | null;
  from_team: string;
  from_agent: string;
  from_peer: string | null;
  asserted: number;
  type: MessageType;
  text: string;
  correlation_id: string | null;
  thread_id: string;
  thread_seq: number;
  reply_to: string | null;
  state: MessageState;
  created_at: number;
  expires_at: number;
  delivered_at: number | null;
  lease_until: number | null;
  deliveries: number;
  acked_at: number | null;
};

const FIELDS = {
  id: 'id',
  team: 'team',
  circle: 'circle',
  toAgent: 'to_agent',
  seq: 'seq',
  toPeer: 'to_peer',
  fromTeam: 'from_team',
  fromAgent: 'from_agent',
  fromPeer: 'from_peer',
  asserted: 'asserted',
  type: 'type',
  text: 'text',
  correlationId: 'correlation_id',
  threadId: 'thread_id',
  threadSeq: 'thread_seq',
  replyTo: 'reply_to',
  state: 'state',
  createdAt: 'created_at',
  expiresAt: 'expires_at',
  deliveredAt: 'delivered_at',
  leaseUntil: 'lease_until',
  deliveries: 'deliveries',
  ackedAt: 'acked_at',
} as const satisfies Record<keyof StoredMessage, keyof MessageRow>;

export const messageColumns = sql.raw(Object.values(FIELDS).join(', '));

export function toMessage(row: MessageRow): StoredMessage {
  return {
    id: row.id,
    team: row.team,
    circle: row.circle,
    toAgent: row.to_agent,
    seq: row.seq,
    toPeer: row.to_peer,
    fromTeam: row.from_team,
    fromAgent: row.from_agent,
    fromPeer: row.from_peer,
    asserted: row.asserted === 1,
    type: row.type,
    text: row.text,
    correlationId: row.correlation_id,
    threadId: row.thread_id,
    threadSeq: row.thread_seq,
    replyTo: row.reply_to,
    state: row.state,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    deliveredAt: row.delivered_at,
    leaseUntil: row.lease_until,
    deliveries: row.deliveries,
    ackedAt: row.acked_at,
  };
}

export async function insertMessage(tx: Tx, message: StoredMessage): Promise<void> {
  const values = (Object.keys(FIELDS) as (keyof StoredMessage)[]).map((field) => {
    const value = message[field];
    return sql`${typeof value === 'boolean' ? Number(value) : value}`;
  });
  await tx.run(sql`
    insert into peer_messages (${messageColumns})
    values (${sql.join(values, ', ')})`);
}

export async function findMessage(q: Query, id: string): Promise<StoredMessage | undefined> {
  const row = await q.get<MessageRow>(sql`
    select ${messageColumns}
    from peer_messages
    where id = ${id}`);
  return row && toMessage(row);
}

export function selectMessages(q: Query, condition: Sql, end: Sql): Promise<StoredMessage[]> {
  return q
    .all<MessageRow>(
      sql`
    select ${messageColumns}
    from peer_messages
    where ${condition}
    ${end}`,
    )
    .then((rows) => rows.map(toMessage));
}

/** The next number of a mailbox. Its row stays locked until the unit ends, so numbers are gapless and in commit order. */
export async function takeMailboxSeq(tx: Tx, { team, circle, agentId }: MailboxKey): Promise<number> {
  const row = await tx.get<{ head: number }>(sql`
    insert into peer_mailboxes (team, circle, agent_id, head)
    values (${team}, ${circle}, ${agentId}, 1)
    on conflict (team, circle, agent_id) do update
    set head = peer_mailboxes.head + 1
    returning head`);
  return row!.head;
}

/** The next number of a thread; undefined when the thread belongs to another circle. */
export async function takeThreadSeq(tx: Tx, circle: string, threadId: string): Promise<number | undefined> {
  const row = await tx.get<{ head: number }>(sql`
    insert into peer_threads (thread_id, circle, head)
    values (${threadId}, ${circle}, 1)
    on conflict (thread_id) do update
    set head = peer_threads.head + 1
    where peer_threads.circle = excluded.circle
    returning head`);
  return row?.head;
}

/** An address exists from the first time its agent registers or gets mail. */
export async function openMailbox(tx: Tx, { team, circle, agentId }: MailboxKey): Promise<void> {
  await tx.run(sql`
    insert into peer_mailboxes (team, circle, agent_id, head)
    values (${team}, ${circle}, ${agentId}, 0)
    on conflict (team, circle, agent_id) do nothing`);
}

/** All mailboxes that go by a name: those of every team, so whoever asks has to choose. */
export async function mailboxesNamed(q: Query, agentId: string): Promise<MailboxKey[]> {
  const rows = await q.all<{ team: string; circle: string }>(sql`
    select team, circle
    from peer_mailboxes
    where agent_id = ${agentId}
    order by circle, team`);
  return rows.map(({ team, circle }) => ({ team, circle, agentId }));
}

/** Has anybody of the team a part in the thread? One that nobody began is everybody's. */
export async function isThreadOpenTo(q: Query, threadId: string, team: string): Promise<boolean> {
  const row = await q.get<{ others: number; own: number }>(sql`
    select count(*) as others, coalesce(sum(case when team = ${team} or from_team = ${team} then 1 else 0 end), 0) as own
    from peer_messages
    where thread_id = ${threadId}`);
  return row!.others === 0 || row!.own > 0;
}

/** Where a page ends: the sort key of its last message. */
export type MessagePlace = Readonly<{ createdAt: number; id: string }>;

function olderThan(place: MessagePlace | undefined): Sql {
  return place === undefined ? sql`true` : sql`(created_at, id) < (${place.createdAt}, ${place.id})`;
}

/** The sent mail of an agent, newest first. */
export function listSent(
  q: Query,
  { team, agentId }: Party,
  page: Readonly<{ before: MessagePlace | undefined; limit: number }>,
): Promise<StoredMessage[]> {
  return selectMessages(
    q,
    sql`from_team = ${team} and from_agent = ${agentId} and ${olderThan(page.before)}`,
    sql`order by created_at desc, id desc limit ${page.limit}`,
  );
}

/** All mail, newest first. */
export function listAll(
  q: Query,
  page: Readonly<{ before: MessagePlace | undefined; limit: number }>,
): Promise<StoredMessage[]> {
  return selectMessages(
    q,
    olderThan(page.before),
    sql`order by created_at desc, id desc limit ${page.limit}`,
  );
}

export type DeadRequest = Readonly<{
  circle?: string | undefined;
  toAgent?: string | undefined;
  /** Only what these have sent or were to get: an agent, a team, or an agent of a team. */
  party?: Partial<Party> | undefined;
  before: MessagePlace | undefined;
  limit: number;
  now: number;
}>;

/** Mail that ran out of time before anyone acked it, newest first. */
export function listDead(
  q: Query,
  { circle, toAgent, party, before, limit, now }: DeadRequest,
): Promise<StoredMessage[]> {
  const terms = [
    sql`(state = 'expired' or (state in ('queued', 'delivered') and expires_at <= ${now}))`,
    olderThan(before),
  ];
  if (circle !== undefined) terms.push(sql`circle = ${circle}`);
  if (toAgent !== undefined) terms.push(sql`to_agent = ${toAgent}`);
  if (party !== undefined) terms.push(sql`(${isOf('to', party)} or ${isOf('from', party)})`);
  return selectMessages(q, sql.join(terms, ' and '), sql`order by created_at desc, id desc limit ${limit}`);
}

function isOf(side: 'to' | 'from', { team, agentId }: Partial<Party>): Sql {
  const terms = [
    ...(team === undefined ? [] : [sql`${sql.raw(side === 'to' ? 'team' : 'from_team')} = ${team}`]),
    ...(agentId === undefined ? [] : [sql`${sql.raw(`${side}_agent`)} = ${agentId}`]),
  ];
  return sql`(${sql.join(terms, ' and ')})`;
}

export function listExpired(tx: Tx, limit: number): Promise<StoredMessage[]> {
  return selectMessages(
    tx,
    sql`state in ('queued', 'delivered') and expires_at <= ${tx.now}`,
    sql`order by expires_at limit ${limit} ${tx.dialect.skipLocked}`,
  );
}

export async function markExpired(tx: Tx, ids: readonly string[]): Promise<void> {
  await tx.run(
    sql`update peer_messages set state = 'expired', lease_until = null where id in ${sql.in(ids)}`,
  );
}

/** Forgets settled mail, and the threads of which nothing is left. */
export async function forgetMessages(tx: Tx, before: number, limit: number): Promise<number> {
  const old = await tx.all<{ id: string; thread_id: string }>(sql`
    select id, thread_id
    from peer_messages
    where state in ('acked', 'expired') and expires_at < ${before}
    order by expires_at
    limit ${limit}
    ${tx.dialect.skipLocked}`);
  if (old.length === 0) return 0;
  await tx.run(sql`delete from peer_messages where id in ${sql.in(old.map(({ id }) => id))}`);
  await tx.run(sql`
    delete from peer_threads
    where thread_id in ${sql.in([...new Set(old.map(({ thread_id: thread }) => thread))])}
      and not exists (select 1 from peer_messages where peer_messages.thread_id = peer_threads.thread_id)`);
  return old.length;
}
