import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Query, Tx } from '../../store/database.ts';
import { resolveAddress, resolveSender, type Address, type Sender } from './addresses.ts';
import type { MessageType, StoredMessage } from './message.ts';
import { mailboxFull, unknownMessage } from './refusals.ts';
import { countWaiting } from './rows/mailbox.ts';
import { findMessage, insertMessage, openMailbox, takeMailboxSeq, takeThreadSeq } from './rows/messages.ts';
import type { Presence } from './presence.ts';
import { listPeers } from './rows/peers.ts';
import { cleanText, DEFAULT_TTL_MS, inboxSubject, MAX_WAITING, mayActAs } from './rules.ts';

/** Writing to each other. A message is stored with its number in the mailbox and in its thread, or it was not sent. */

export type Letter = Readonly<{
  text: string;
  /** Sent twice under one id it is one message. */
  id?: string | undefined;
  type?: MessageType | undefined;
  fromPeer?: string | undefined;
  circle?: string | undefined;
  correlationId?: string | undefined;
  threadId?: string | undefined;
  replyTo?: string | undefined;
  ttlMs?: number | undefined;
}>;

export async function send(tx: Tx, who: Principal, to: string, letter: Letter): Promise<StoredMessage> {
  const sender = await resolveSender(tx, who, letter.fromPeer);
  const address = await resolveAddress(tx, to, reachOf(sender, letter.circle));
  if (letter.replyTo !== undefined) await readMessage(tx, who, letter.replyTo);
  await openReturnAddress(tx, sender, address.circle);
  return post(tx, sender, address, letter);
}

/** Who writes can be answered, registered or not: the person at the hub, too. */
async function openReturnAddress(tx: Tx, { peerId, agentId }: Sender, circle: string): Promise<void> {
  if (peerId === null) await openMailbox(tx, circle, agentId);
}

/** Where the sender may write, narrowed to the circle it names. */
function reachOf({ circles }: Sender, named: string | undefined): readonly string[] | undefined {
  if (named === undefined) return circles;
  if (circles && !circles.includes(named))
    throw new HubError('forbidden', `The sender is not in the circle ${named}.`, { circle: named });
  return [named];
}

export async function post(tx: Tx, sender: Sender, address: Address, letter: Letter): Promise<StoredMessage> {
  const text = cleanText(letter.text);
  const { circle, agentId, peer } = address;
  if (letter.id !== undefined) await tx.lock(`message:${letter.id}`);
  const same = letter.id === undefined ? undefined : await findMessage(tx, letter.id);
  if (same) return repeated(same, { sender, address, text });
  // Taking the number locks the mailbox: the count that follows is exact among concurrent senders.
  const seq = await takeMailboxSeq(tx, circle, agentId);
  if ((await countWaiting(tx, circle, agentId, tx.now)) >= MAX_WAITING)
    throw mailboxFull(agentId, MAX_WAITING);
  const id = letter.id ?? newId();
  const thread = await threadOf(tx, circle, letter, id);
  const message: StoredMessage = {
    id,
    circle,
    toAgent: agentId,
    seq,
    toPeer: peer?.peerId ?? null,
    fromAgent: sender.agentId,
    fromPeer: sender.peerId,
    asserted: sender.asserted,
    type: letter.type ?? 'notification',
    text,
    correlationId: letter.correlationId ?? null,
    threadId: thread.id,
    threadSeq: thread.seq,
    replyTo: letter.replyTo ?? null,
    state: 'queued',
    createdAt: tx.now,
    expiresAt: tx.now + (letter.ttlMs ?? DEFAULT_TTL_MS),
    deliveredAt: null,
    leaseUntil: null,
    deliveries: 0,
    ackedAt: null,
  };
  await insertMessage(tx, message);
  tx.emit({
    kind: 'peer.message_queued',
    subject: inboxSubject({ circle, agentId }),
    realm: 'hub',
    data: { messageId: id, seq: message.seq, fromAgent: sender.agentId, toAgent: agentId, circle },
  });
  return message;
}

type Repetition = Readonly<{ sender: Sender; address: Address; text: string }>;

function repeated(same: StoredMessage, { sender, address, text }: Repetition): StoredMessage {
  const isSame =
    same.fromAgent === sender.agentId &&
    same.toAgent === address.agentId &&
    same.circle === address.circle &&
    same.text === text;
  if (isSame) return same;
  throw new HubError('conflict', `The message id ${same.id} was used before for another message.`, {
    hint: 'Leave the id out, or use a new one for a new message.',
  });
}

/** A reply belongs to the thread of what it answers; anything else begins one unless it names one. */
async function threadOf(
  tx: Tx,
  circle: string,
  letter: Letter,
  ownId: string,
): Promise<Readonly<{ id: string; seq: number }>> {
  const answered = letter.replyTo === undefined ? undefined : await findMessage(tx, letter.replyTo);
  if (letter.replyTo !== undefined && answered?.circle !== circle) throw unknownMessage(letter.replyTo);
  const id = answered?.threadId ?? letter.threadId ?? ownId;
  const seq = await takeThreadSeq(tx, circle, id);
  if (seq === undefined) throw new HubError('not_found', `unknown thread: ${id}`, { got_id: id });
  return { id, seq };
}

/** To every other agent of the circles in reach: to each of its live sessions, or to its address when none is live. */
export async function broadcast(
  tx: Tx,
  who: Principal,
  letter: Letter,
  presence: Presence,
): Promise<StoredMessage[]> {
  cleanText(letter.text);
  const sender = await resolveSender(tx, who, letter.fromPeer);
  const reach = reachOf(sender, letter.circle);
  const peers = (await listPeers(tx, {}))
    .filter((peer) => (reach?.includes(peer.circle) ?? true) && peer.peerId !== sender.peerId)
    .filter((peer) => sender.peerId !== null || peer.agentId !== sender.agentId);
  const sent: StoredMessage[] = [];
  // Mailboxes are locked in one order by all senders, so that two broadcasts cannot wait for each other.
  const addresses = [...Map.groupBy(peers, ({ circle, agentId }) => inboxSubject({ circle, agentId }))].sort(
    ([a], [b]) => (a < b ? -1 : 1),
  );
  for (const [, sessions] of addresses) {
    const live = sessions.filter((peer) => presence.seen(peer).status !== 'offline');
    const { circle, agentId } = sessions[0]!;
    const targets = live.length > 0 ? live : [undefined];
    await openReturnAddress(tx, sender, circle);
    for (const peer of targets)
      sent.push(
        await post(tx, sender, { circle, agentId, peer }, { ...letter, type: 'broadcast', id: undefined }),
      );
  }
  return sent;
}

/** One message as its sender or its recipient may see it: the receipt. */
export async function readMessage(q: Query, who: Principal, id: string): Promise<StoredMessage> {
  const message = await findMessage(q, id);
  if (!message || (!mayActAs(who, message.fromAgent) && !mayActAs(who, message.toAgent)))
    throw unknownMessage(id);
  return message;
}
