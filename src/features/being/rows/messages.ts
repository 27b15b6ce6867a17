// SQL of what was said to a Being, of mail between Beings, and of what bridges can do.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { likePattern } from './nodes.ts';

export type MessageRow = Readonly<{
  id: string;
  role: string;
  content: string;
  at: number;
  is_extracted: number;
}>;

export async function insertMessage(tx: Tx, being: string, message: MessageRow): Promise<void> {
  await tx.run(sql`
    insert into being_messages (being_id, id, role, content, at, is_extracted)
    values (${being}, ${message.id}, ${message.role}, ${message.content}, ${message.at}, ${message.is_extracted})`);
}

export type HistoryQuestion = Readonly<{
  query?: string | undefined;
  from?: number;
  until?: number;
  limit: number;
}>;

/** Newest first. */
export function findMessages(
  q: Query,
  being: string,
  { query, from, until, limit }: HistoryQuestion,
): Promise<MessageRow[]> {
  return q.all<MessageRow>(sql`
    select id, role, content, at, is_extracted
    from being_messages
    where being_id = ${being}
      ${query === undefined ? sql.empty : sql`and lower(content) like ${likePattern(query)} escape '!'`}
      ${from === undefined ? sql.empty : sql`and at >= ${from}`}
      ${until === undefined ? sql.empty : sql`and at < ${until}`}
    order by at desc, id desc
    limit ${limit}`);
}

export function allMessages(q: Query, being: string): Promise<MessageRow[]> {
  return q.all<MessageRow>(sql`
    select id, role, content, at, is_extracted
    from being_messages
    where being_id = ${being}
    order by id`);
}

/** What no model has looked at yet, oldest first. */
export function unreadMessages(q: Query, being: string, limit: number): Promise<MessageRow[]> {
  return q.all<MessageRow>(sql`
    select id, role, content, at, is_extracted
    from being_messages
    where being_id = ${being} and is_extracted = 0
    order by id
    limit ${limit}`);
}

export async function markExtracted(tx: Tx, being: string, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  return tx.run(sql`
    update being_messages
    set is_extracted = 1
    where being_id = ${being} and id in ${sql.in(ids)} and is_extracted = 0`);
}

export type MailRow = Readonly<{
  id: string;
  from_id: string;
  from_name: string;
  content: string;
  created_at: number;
  read_at: number | null;
}>;

export async function insertMail(tx: Tx, to: string, mail: MailRow): Promise<void> {
  await tx.run(sql`
    insert into being_mail (being_id, id, from_id, from_name, content, created_at, read_at)
    values (${to}, ${mail.id}, ${mail.from_id}, ${mail.from_name}, ${mail.content}, ${mail.created_at}, ${mail.read_at})`);
}

export function mailOf(
  q: Query,
  being: string,
  { unreadOnly, limit }: Readonly<{ unreadOnly: boolean; limit: number }>,
): Promise<MailRow[]> {
  return q.all<MailRow>(sql`
    select id, from_id, from_name, content, created_at, read_at
    from being_mail
    where being_id = ${being}
      ${unreadOnly ? sql`and read_at is null` : sql.empty}
    order by id
    limit ${limit}`);
}

/** Which of them nobody had read before: one statement, so that of two readers at once each mail has one. */
export async function markRead(tx: Tx, being: string, ids: readonly string[]): Promise<ReadonlySet<string>> {
  if (ids.length === 0) return new Set();
  const read = await tx.all<{ id: string }>(sql`
    update being_mail
    set read_at = ${tx.now}
    where being_id = ${being} and id in ${sql.in(ids)} and read_at is null
    returning id`);
  return new Set(read.map(({ id }) => id));
}

export type CapabilityRow = Readonly<{
  id: string;
  bridge: string;
  type: 'sense' | 'act';
  name: string;
  description: string;
  seen_until: number;
  created_at: number;
}>;

export async function putCapability(tx: Tx, being: string, row: CapabilityRow): Promise<void> {
  await tx.run(sql`
    insert into being_capabilities (being_id, id, bridge, type, name, description, seen_until, created_at)
    values (
      ${being}, ${row.id}, ${row.bridge}, ${row.type}, ${row.name}, ${row.description}, ${row.seen_until}, ${row.created_at}
    )
    on conflict (being_id, bridge, type, name) do update
    set description = excluded.description, seen_until = excluded.seen_until`);
}

/** Those whose bridge is there. */
export function capabilitiesOf(q: Query, being: string, now: number): Promise<CapabilityRow[]> {
  return q.all<CapabilityRow>(sql`
    select id, bridge, type, name, description, seen_until, created_at
    from being_capabilities
    where being_id = ${being} and seen_until > ${now}
    order by name, bridge, id`);
}

export function deleteCapability(tx: Tx, being: string, id: string): Promise<number> {
  return tx.run(sql`
    delete from being_capabilities
    where being_id = ${being} and id = ${id}`);
}
