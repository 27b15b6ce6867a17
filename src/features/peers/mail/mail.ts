import { HubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import { mayKnock } from '../../../kernel/knock.ts';
import type { Tx } from '../../../store/database.ts';
import { resolveAddress, resolveSender, type Address, type Sender } from '../addresses.ts';
import { mailboxFull, unknownMessage, unknownThread } from '../refusals.ts';
import { countWaiting } from '../rows/mailbox.ts';
import {
  findMessage,
  isThreadOpenTo,
  messages,
  openMailbox,
  takeMailboxSeq,
  takeThreadSeq,
  type StoredMessage,
} from '../rows/messages.ts';
import { listPeers } from '../rows/peers.ts';
import {
  cleanText,
  DEFAULT_TTL_MS,
  inboxSubject,
  mailboxOfPeer,
  MAX_WAITING,
  mayActAs,
  type Party,
} from '../rules.ts';
import type { PeerLook, PeerUnit } from '../unit.ts';
import type { MessageType } from '../words.ts';

/** Writing to each other. A message is stored with its number in the mailbox and in its thread, or it was not sent. */

export type Letter = Readonly<{
  text: string;
  /** Sent twice under one id it is one message. */
  id?: string | undefined;
  type?: MessageType | undefined;
  fromPeer?: string | undefined;
  circle?: string | undefined;
  /** The recipient's, where its name is in several. */
  team?: string | undefined;
  correlationId?: string | undefined;
  threadId?: string | undefined;
  replyTo?: string | undefined;
  ttlMs?: number | undefined;
}>;

export async function send(unit: PeerUnit, to: string, letter: Letter): Promise<StoredMessage> {
  const { tx } = unit;
  const sender = await senderOf(unit, letter);
  const answered = letter.replyTo === undefined ? undefined : await readMessage(unit, letter.replyTo);
  const reach = { ...sender, circles: reachOf(sender, letter.circle) };
  const address =
    addressOfAnswer(answered, to, reach) ??
    (await resolveAddress(unit, { id: to, team: letter.team }, reach));
  await refuseForeignThread(unit, letter.threadId);
  await openReturnAddress(tx, sender, address.circle);
  return post(tx, { sender, address }, letter);
}

async function senderOf(unit: PeerUnit, { fromPeer }: Letter): Promise<Sender> {
  const sender = await resolveSender(unit, fromPeer);
  return { ...sender, mayWake: (team) => mayKnock(unit, team) };
}

/** An answer goes to whoever wrote, not to a namesake who is nearer. */
function addressOfAnswer(
  answered: StoredMessage | undefined,
  to: string,
  { circles, agentId }: Sender,
): Address | undefined {
  if (!answered || answered.fromAgent !== to || answered.toAgent !== agentId) return undefined;
  const { fromTeam: team, circle } = answered;
  return circles?.includes(circle) === false ? undefined : { team, circle, agentId: to, peer: undefined };
}

/** Going on with a thread by its id is for those who have a part in it. */
async function refuseForeignThread({ tx, who }: PeerUnit, threadId: string | undefined): Promise<void> {
  const { team } = who.bound;
  if (threadId === undefined || team === undefined || (await isThreadOpenTo(tx, threadId, team))) return;
  throw unknownThread(threadId);
}

/** Who writes can be answered, registered or not: the person at the hub, too. */
async function openReturnAddress(tx: Tx, { peerId, team, agentId }: Sender, circle: string): Promise<void> {
  if (peerId === null) await openMailbox(tx, { team, circle, agentId });
}

/** Where the sender may write, narrowed to the circle it names. */
function reachOf({ circles }: Sender, named: string | undefined): readonly string[] | undefined {
  if (named === undefined) return circles;
  if (circles && !circles.includes(named))
    throw new HubError('forbidden', `The sender is not in the circle ${named}.`, { circle: named });
  return [named];
}

type Ends = Readonly<{ sender: Sender; address: Address }>;

export async function post(tx: Tx, ends: Ends, letter: Letter): Promise<StoredMessage> {
  const { sender, address } = ends;
  const text = cleanText(letter.text);
  const { team, circle, agentId, peer } = address;
  if (letter.id !== undefined) await tx.lock(`message:${letter.id}`);
  const same = letter.id === undefined ? undefined : await findMessage(tx, letter.id);
  if (same) return repeated(same, ends, text);
  // Taking the number locks the mailbox: the count that follows is exact among concurrent senders.
  const seq = await takeMailboxSeq(tx, address);
  if ((await countWaiting(tx, address, tx.now)) >= MAX_WAITING) throw mailboxFull(agentId, MAX_WAITING);
  const id = letter.id ?? newId();
  const thread = await threadOf(tx, circle, { ...letter, id });
  const message: StoredMessage = {
    id,
    team,
    circle,
    toAgent: agentId,
    seq,
    toPeer: peer?.peerId ?? null,
    fromTeam: sender.team,
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
  await messages.insert(tx, message);
  tx.emit({
    kind: 'peer.message_queued',
    subject: inboxSubject(address),
    realm: 'hub',
    data: {
      messageId: id,
      seq: message.seq,
      fromAgent: sender.agentId,
      toAgent: agentId,
      circle,
      ...(sender.mayWake?.(team) && { wakes: true }),
    },
  });
  return message;
}

function repeated(same: StoredMessage, { sender, address }: Ends, text: string): StoredMessage {
  const isSame =
    same.fromTeam === sender.team &&
    same.fromAgent === sender.agentId &&
    same.team === address.team &&
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
  { id: ownId, replyTo, threadId }: Pick<Letter, 'replyTo' | 'threadId'> & Readonly<{ id: string }>,
): Promise<Readonly<{ id: string; seq: number }>> {
  const answered = replyTo === undefined ? undefined : await findMessage(tx, replyTo);
  if (replyTo !== undefined && answered?.circle !== circle) throw unknownMessage(replyTo);
  const id = answered?.threadId ?? threadId ?? ownId;
  const seq = await takeThreadSeq(tx, circle, id);
  if (seq === undefined) throw unknownThread(id);
  return { id, seq };
}

/** To every other agent of the circles in reach: to each of its live sessions, or to its address when none is live. */
export async function broadcast(unit: PeerUnit, letter: Letter): Promise<StoredMessage[]> {
  const { tx, presence } = unit;
  cleanText(letter.text);
  const sender = await senderOf(unit, letter);
  const reach = reachOf(sender, letter.circle);
  const peers = (await listPeers(tx, {}))
    .filter((peer) => (reach?.includes(peer.circle) ?? true) && peer.peerId !== sender.peerId)
    .filter((peer) => sender.peerId !== null || !isSame(mailboxOfPeer(peer), sender));
  const sent: StoredMessage[] = [];
  // Mailboxes are locked in one order by all senders, so that two broadcasts cannot wait for each other.
  const addresses = [...Map.groupBy(peers, (peer) => inboxSubject(mailboxOfPeer(peer)))].sort(([a], [b]) =>
    a < b ? -1 : 1,
  );
  for (const [, sessions] of addresses) {
    const live = sessions.filter((peer) => presence.seen(peer).status !== 'offline');
    const box = mailboxOfPeer(sessions[0]!);
    const targets = live.length > 0 ? live : [undefined];
    await openReturnAddress(tx, sender, box.circle);
    for (const peer of targets) {
      const ends = { sender, address: { ...box, peer } };
      sent.push(await post(tx, ends, { ...letter, type: 'broadcast', id: undefined }));
    }
  }
  return sent;
}

/** One message as its sender or its recipient may see it: the receipt. */
export async function readMessage({ q, who }: PeerLook, id: string): Promise<StoredMessage> {
  const message = await findMessage(q, id);
  if (!message || !partiesOf(message).some((party) => mayActAs(who, party))) throw unknownMessage(id);
  return message;
}

function partiesOf({ team, toAgent, fromTeam, fromAgent }: StoredMessage): readonly Party[] {
  return [
    { team, agentId: toAgent },
    { team: fromTeam, agentId: fromAgent },
  ];
}

function isSame(a: Party, b: Party): boolean {
  return a.team === b.team && a.agentId === b.agentId;
}
