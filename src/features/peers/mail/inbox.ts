import type { Tx } from '../../../store/database.ts';
import { resolveReader, type Addressed } from '../addresses.ts';
import {
  ackMessages,
  countWaiting,
  listDue,
  takeDue,
  type Handing,
  type MailReader,
} from '../rows/mailbox.ts';
import type { Acked } from './message.ts';
import type { MailboxKey } from '../rules.ts';
import { findMessage, listExpired, markExpired, type StoredMessage } from '../rows/messages.ts';
import type { PeerLook, PeerUnit } from '../unit.ts';

/** Fetching mail and saying that it arrived. `delivered` is written when a message is handed out and not before. */

export type FetchedMail = Readonly<{ messages: readonly StoredMessage[]; waiting: number }>;

export async function peek(look: PeerLook, asked: Addressed, limit: number): Promise<FetchedMail> {
  const { q, now } = look;
  const reader = await resolveReader(look, asked);
  return {
    messages: await listDue(q, reader, { limit, now }),
    waiting: await countWaiting(q, reader, now),
  };
}

/** With a lease the mail must be acked before it runs out, or it is handed out again; without, fetching is the ack. */
export async function drain(unit: PeerUnit, asked: Addressed, handing: Handing): Promise<FetchedMail> {
  const { tx } = unit;
  const reader = await resolveReader(unit, asked);
  const messages = await handOut(tx, reader, handing);
  return { messages, waiting: await countWaiting(tx, reader, tx.now) };
}

export async function handOut(tx: Tx, reader: MailReader, handing: Handing): Promise<StoredMessage[]> {
  const messages = await takeDue(tx, reader, handing);
  const state = handing.leaseMs === undefined ? 'acked' : 'delivered';
  for (const message of messages) tellState(tx, message, state);
  return messages;
}

/** Every id is accounted for. Acking twice is no error and changes nothing. */
export async function ack(unit: PeerUnit, asked: Addressed, ids: readonly string[]): Promise<Acked> {
  const { tx } = unit;
  const reader = await resolveReader(unit, asked);
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
