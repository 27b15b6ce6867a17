import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Tx } from '../../store/database.ts';
import { clean, requireBeing, tell } from './parts.ts';
import { beingByName } from './rows/beings.ts';
import { insertMail, mailOf, type MailRow, markRead } from './rows/messages.ts';
import { LIMITS, nameKey } from './rules.ts';

const INBOX = 100;

/** Delivered in the transaction that says so. Partners are the Beings of one owner; nobody else can be written to. */
export async function sendMail(
  tx: Tx,
  being: string,
  { to, content }: Readonly<{ to: string; content: string }>,
) {
  const from = await requireBeing(tx, being);
  const name = clean(to, 'to', LIMITS.name);
  const partner = await beingByName(tx, from.owner, nameKey(name));
  if (!partner || partner.id === being) {
    const why = partner ? 'a message to oneself is a note' : `there is no partner called ${name}`;
    throw new HubError('not_found', `${why}; nothing was sent`, { to: name });
  }
  const id = newId();
  const mail = {
    id,
    from_id: being,
    from_name: from.name,
    content: clean(content, 'content'),
    created_at: tx.now,
    read_at: null,
  };
  await insertMail(tx, partner.id, mail);
  tell(tx, partner.id, 'mail_received', { id });
  return { message: `delivered to ${partner.name}`, id, to: partner.name };
}

/** Everything received, unread ones marked as read by handing them out. */
export async function readInbox(tx: Tx, being: string) {
  const mail = await mailOf(tx, being, { unreadOnly: false, limit: INBOX });
  await markRead(
    tx,
    being,
    mail.filter(({ read_at }) => read_at === null).map(({ id }) => id),
  );
  return { message: `${mail.length} messages`, messages: mail.map(shownMail) };
}

/** What nobody has seen yet; marked as read with it. */
export async function takeUnread(tx: Tx, being: string): Promise<readonly MailRow[]> {
  const mail = await mailOf(tx, being, { unreadOnly: true, limit: INBOX });
  const taken = await markRead(
    tx,
    being,
    mail.map(({ id }) => id),
  );
  return mail.filter(({ id }) => taken.has(id));
}

function shownMail({ id, from_name, content, created_at, read_at }: MailRow) {
  return { id, from: from_name, content, at: new Date(created_at).toISOString(), read: read_at !== null };
}
