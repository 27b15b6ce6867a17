// SQL of mail and threads. Numbers are taken under a row lock, so they have no gaps and are in commit
// order.
import type { Query as Asked } from '../../../kernel/query-language.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { type Asking, conditionsOf, contains, isKind, isText, isWithin } from '../../../store/query-terms.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import { flag, number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';
import type { MessageState, MessageType } from '../words.ts';
import type { MailboxKey, Party } from '../rules.ts';

export const messages = table('peer_messages', {
  id: text(),
  /** The recipient's team; '' for none. */
  team: text(),
  circle: text(),
  toAgent: text(),
  seq: number(),
  toPeer: textOrNull(),
  fromTeam: text(),
  fromAgent: text(),
  fromPeer: textOrNull(),
  asserted: flag(),
  type: text<MessageType>(),
  text: text(),
  correlationId: textOrNull(),
  threadId: text(),
  threadSeq: number(),
  replyTo: textOrNull(),
  state: text<MessageState>(),
  createdAt: number(),
  expiresAt: number(),
  deliveredAt: numberOrNull(),
  leaseUntil: numberOrNull(),
  deliveries: number(),
  ackedAt: numberOrNull(),
});
export type StoredMessage = Readonly<RecordOf<typeof messages.fields>>;

export function findMessage(q: Query, id: string): Promise<StoredMessage | undefined> {
  return messages.find(q, sql`where id = ${id}`);
}

export function selectMessages(q: Query, condition: Sql, end: Sql): Promise<StoredMessage[]> {
  return messages.list(q, sql`where ${condition} ${end}`);
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

/** Newest first, from before the message that the page before ended with. */
export type OlderMail = Readonly<{ before: MailEnd | undefined; limit: number }>;
/** The sort key of the last message of a page. */
export type MailEnd = Readonly<{ createdAt: number; id: string }>;

function olderThan(end: MailEnd | undefined): Sql {
  return end === undefined ? sql`true` : sql`(created_at, id) < (${end.createdAt}, ${end.id})`;
}

/** The sent mail of an agent, newest first. */
export function listSent(q: Query, { team, agentId }: Party, page: OlderMail): Promise<StoredMessage[]> {
  return selectMessages(
    q,
    sql`from_team = ${team} and from_agent = ${agentId} and ${olderThan(page.before)}`,
    sql`order by created_at desc, id desc limit ${page.limit}`,
  );
}

export type AskedMail = OlderMail & Readonly<{ asked?: Readonly<{ query: Asked; now: number }> | undefined }>;

/** All mail, or what a query finds of it, newest first. */
export function listAll(q: Query, { before, limit, asked }: AskedMail): Promise<StoredMessage[]> {
  const found = asked ? conditionsOf(asked.query, asking(asked.now)) : [];
  return selectMessages(
    q,
    sql.join([olderThan(before), ...found], ' and '),
    sql`order by created_at desc, id desc limit ${limit}`,
  );
}

const asking = (now: number): Asking => ({
  has: (words) => contains(sql`text`, words),
  fields: {
    agent: ({ value }) => sql`(${isText(sql`from_agent`, value)} or ${isText(sql`to_agent`, value)})`,
    project: ({ value }) => sql`(${isText(sql`team`, value)} or ${isText(sql`from_team`, value)})`,
    created: (term) => isWithin(sql`created_at`, term, now),
    updated: (term) => isWithin(sql`created_at`, term, now),
    id: ({ value }) => contains(sql`id`, value),
    kind: (term) => isKind(term, 'mail'),
  },
});

export type DeadFilter = Readonly<{
  circle?: string | undefined;
  toAgent?: string | undefined;
  /** Only what these have sent or were to get: an agent, a team, or an agent of a team. */
  party?: Partial<Party> | undefined;
}>;

/** Mail that ran out of time before anyone acked it, newest first. */
export function listDead(
  q: Query,
  { circle, toAgent, party, before, limit, now }: DeadFilter & OlderMail & Readonly<{ now: number }>,
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
  await messages.delete(tx, sql`where id in ${sql.in(old.map(({ id }) => id))}`);
  await tx.run(sql`
    delete from peer_threads
    where thread_id in ${sql.in([...new Set(old.map(({ thread_id: thread }) => thread))])}
      and not exists (select 1 from peer_messages where peer_messages.thread_id = peer_threads.thread_id)`);
  return old.length;
}
