import type { Principal } from '../../kernel/principal.ts';
import type { Query, Tx } from '../../store/database.ts';
import { resolveReader, type Addressed } from './addresses.ts';
import type { StoredMessage } from './message.ts';
import {
  ackMessages,
  countWaiting,
  listDue,
  releaseAfter,
  takeDue,
  type MailReader,
} from './rows/mailbox.ts';
import type { MailboxKey } from './rules.ts';
import { findMessage, listExpired, markExpired } from './rows/messages.ts';

/** Fetching mail and saying that it arrived. `delivered` is written when a message is handed out and not before. */

export type FetchedMail = Readonly<{ messages: readonly StoredMessage[]; waiting: number }>;

export async function peek(
  q: Query,
  who: Principal,
  asked: Addressed,
  page: Readonly<{ limit: number; now: number }>,
): Promise<FetchedMail> {
  const reader = await resolveReader(q, who, asked);
  return {
    messages: await listDue(q, reader, page),
    waiting: await countWaiting(q, reader, page.now),
  };
}

/** With a lease the mail must be acked before it runs out, or it is handed out again; without, fetching is the ack. */
export async function drain(
  tx: Tx,
  who: Principal,
  asked: Addressed,
  { limit, leaseMs }: Readonly<{ limit: number; leaseMs: number | undefined }>,
): Promise<FetchedMail> {
  const reader = await resolveReader(tx, who, asked);
  const messages = await handOut(tx, reader, limit, leaseMs);
  return { messages, waiting: await countWaiting(tx, reader, tx.now) };
}

export async function handOut(
  tx: Tx,
  reader: MailReader,
  limit: number,
  leaseMs: number | undefined,
): Promise<StoredMessage[]> {
  const messages = await takeDue(tx, reader, limit, { leaseMs });
  for (const message of messages) tellState(tx, message, leaseMs === undefined ? 'acked' : 'delivered');
  return messages;
}

export type Acked = Readonly<{ acked: string[]; already: string[]; expired: string[]; unknown: string[] }>;

/** Every id is accounted for. Acking twice is no error and changes nothing. */
export async function ack(tx: Tx, who: Principal, asked: Addressed, ids: readonly string[]): Promise<Acked> {
  const reader = await resolveReader(tx, who, asked);
  const acked = new Set(await ackMessages(tx, reader, ids));
  const result: Acked = { acked: [], already: [], expired: [], unknown: [] };
  for (const each of new Set(ids)) {
    const message = await findMessage(tx, each);
    if (!message || !isIn(message, reader)) result.unknown.push(each);
    else if (acked.has(each)) {
      result.acked.push(each);
      tellState(tx, message, 'acked');
    } else if (message.state === 'acked') result.already.push(each);
    else result.expired.push(each);
  }
  return result;
}

function isIn({ team, circle, toAgent }: StoredMessage, box: MailboxKey): boolean {
  return team === box.team && circle === box.circle && toAgent === box.agentId;
}

/** A reader that comes back saying what it saw last gets at once what came after, leased or not. */
export async function resumeAfter(tx: Tx, reader: MailReader, seq: number): Promise<void> {
  await releaseAfter(tx, reader, seq);
}

/** Writes down what has run out of time. */
export async function expire(tx: Tx, limit: number): Promise<number> {
  const dead = await listExpired(tx, limit);
  if (dead.length === 0) return 0;
  await markExpired(
    tx,
    dead.map(({ id }) => id),
  );
  for (const message of dead) tellState(tx, message, 'expired');
  return dead.length;
}

export function tellState(
  tx: Tx,
  { id, toAgent, circle }: Pick<StoredMessage, 'id' | 'toAgent' | 'circle'>,
  state: 'delivered' | 'acked' | 'expired',
): void {
  tx.emit({ kind: `peer.message_${state}`, subject: id, realm: 'hub', data: { toAgent, circle } });
}
