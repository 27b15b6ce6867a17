// SQL of what was said to a Being, of mail between Beings, and of what bridges can do.
import { type Sql, sql } from '../../../store/sql.ts';
import { flag, number, numberOrNull, type RecordOf, text } from '../../../store/table.ts';
import { likePattern } from './nodes.ts';
import { beingTable, type Held, type Seen } from './whose.ts';

const messages = beingTable('being_messages', {
  id: text(),
  role: text(),
  content: text(),
  at: number(),
  isExtracted: flag(),
});
export type MessageRow = Readonly<RecordOf<typeof messages.fields>>;

export function insertMessage(self: Held, message: MessageRow): Promise<void> {
  return messages.insert(self, message);
}

export type HistoryQuestion = Readonly<{
  query?: string | undefined;
  from?: number;
  until?: number;
  limit: number;
}>;

/** Of what was said, and of what documents said before: newest first. */
export function matching({ query, from, until, limit }: HistoryQuestion): Sql {
  return sql`
      ${query === undefined ? sql.empty : sql`and lower(content) like ${likePattern(query)} escape '!'`}
      ${from === undefined ? sql.empty : sql`and at >= ${from}`}
      ${until === undefined ? sql.empty : sql`and at < ${until}`}
    order by at desc, id desc
    limit ${limit}`;
}

export function findMessages(self: Seen, question: HistoryQuestion): Promise<MessageRow[]> {
  return messages.all(self, matching(question));
}

export function allMessages(self: Seen): Promise<MessageRow[]> {
  return messages.all(self, sql`order by id`);
}

/** What no model has looked at yet, oldest first. */
export function unreadMessages(self: Seen, limit: number): Promise<MessageRow[]> {
  return messages.all(self, sql`and is_extracted = 0 order by id limit ${limit}`);
}

export async function markExtracted(self: Held, ids: readonly string[]): Promise<number> {
  if (ids.length === 0) return 0;
  return messages.change(self, { isExtracted: true }, sql`and id in ${sql.in(ids)} and is_extracted = 0`);
}

const mails = beingTable('being_mail', {
  id: text(),
  fromId: text(),
  fromName: text(),
  content: text(),
  createdAt: number(),
  readAt: numberOrNull(),
});
export type MailRow = Readonly<RecordOf<typeof mails.fields>>;

export function insertMail(to: Held, mail: MailRow): Promise<void> {
  return mails.insert(to, mail);
}

type Inbox = Readonly<{ unreadOnly: boolean; limit: number }>;

export function mailOf(self: Seen, { unreadOnly, limit }: Inbox): Promise<MailRow[]> {
  return mails.all(
    self,
    sql`${unreadOnly ? sql`and read_at is null` : sql.empty}
    order by id
    limit ${limit}`,
  );
}

/** Which of them nobody had read before: one statement, so that of two readers at once each mail has one. */
export async function markRead({ tx, being }: Held, mail: readonly MailRow[]): Promise<ReadonlySet<string>> {
  if (mail.length === 0) return new Set();
  const read = await tx.all<{ id: string }>(sql`
    update being_mail
    set read_at = ${tx.now}
    where being_id = ${being} and id in ${sql.in(mail.map(({ id }) => id))} and read_at is null
    returning id`);
  return new Set(read.map(({ id }) => id));
}

const capabilities = beingTable('being_capabilities', {
  id: text(),
  bridge: text(),
  type: text<'sense' | 'act'>(),
  name: text(),
  description: text(),
  seenUntil: number(),
  createdAt: number(),
});
export type CapabilityRow = Readonly<RecordOf<typeof capabilities.fields>>;

export async function putCapability(self: Held, row: CapabilityRow): Promise<void> {
  await self.tx.run(sql`
    ${capabilities.inserting(self, row)}
    on conflict (being_id, bridge, type, name) do update
    set description = excluded.description, seen_until = excluded.seen_until`);
}

/** Those whose bridge is there. */
export function capabilitiesOf(self: Seen, now: number): Promise<CapabilityRow[]> {
  return capabilities.all(self, sql`and seen_until > ${now} order by name, bridge, id`);
}

export function deleteCapability(self: Held, id: string): Promise<number> {
  return capabilities.remove(self, sql`and id = ${id}`);
}
