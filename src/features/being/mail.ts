import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { clean, requireBeing, tell } from './parts.ts';
import { beingByName } from './rows/beings.ts';
import { insertMail, mailOf, type MailRow, markRead } from './rows/messages.ts';
import { type Held, held } from './rows/whose.ts';
import { LIMITS, nameKey } from './rules.ts';

const INBOX = 100;

/** Delivered in the transaction that says so. Partners are the Beings of one owner; nobody else can be written to. */
export async function sendMail(self: Held, { to, content }: Readonly<{ to: string; content: string }>) {
  const from = await requireBeing(self);
  const name = clean(to, 'to', LIMITS.name);
  const partner = await beingByName(self.q, from.owner, nameKey(name));
  if (!partner || partner.id === self.being) {
    const why = partner ? 'a message to oneself is a note' : `there is no partner called ${name}`;
    throw new HubError('not_found', `${why}; nothing was sent`, { to: name });
  }
  const id = newId();
  const mail = {
    id,
    fromId: self.being,
    fromName: from.name,
    content: clean(content, 'content'),
    createdAt: self.tx.now,
    readAt: null,
  };
  const theirs = held(self.tx, partner.id);
  await insertMail(theirs, mail);
  tell(theirs, 'mail_received', { id });
  return { message: `delivered to ${partner.name}`, id, to: partner.name };
}

/** Everything received, unread ones marked as read by handing them out. */
export async function readInbox(self: Held) {
  const mail = await mailOf(self, { unreadOnly: false, limit: INBOX });
  await markRead(
    self,
    mail.filter(({ readAt }) => readAt === null),
  );
  return { message: `${mail.length} messages`, messages: mail.map(shownMail) };
}

/** What nobody has seen yet; marked as read with it. */
export async function takeUnread(self: Held): Promise<readonly MailRow[]> {
  const mail = await mailOf(self, { unreadOnly: true, limit: INBOX });
  const taken = await markRead(self, mail);
  return mail.filter(({ id }) => taken.has(id));
}

function shownMail({ id, fromName, content, createdAt, readAt }: MailRow) {
  return { id, from: fromName, content, at: new Date(createdAt).toISOString(), read: readAt !== null };
}
