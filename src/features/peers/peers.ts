import type { Principal } from '../../kernel/principal.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { Mention } from '../chat/chat.ts';
import { resolveReader, type Addressed } from './addresses.ts';
import { describePeer, peerInPane, peerNamed, registerNamed, type PeerName } from './by-name.ts';
import { ack, drain, expire, handOut, peek, resumeAfter, type Acked, type FetchedMail } from './inbox.ts';
import { broadcast, readMessage, send, type Letter } from './mail.ts';
import { deliverMention } from './mentions.ts';
import { presentMessage, presentWithTeams, type PeerMessage, type StoredMessage } from './message.ts';
import { createPiggybackMail, type PiggybackMail } from './piggyback-mail.ts';
import { presentPeer, type Peer, type PeerStatus } from './peer.ts';
import { createPresence, type PresenceOptions } from './presence.ts';
import {
  deregister,
  getPeer,
  heartbeat,
  listPresent,
  noteHeartbeat,
  register,
  type PeerHeartbeat,
  type Registration,
} from './registry.ts';
import { hasDue, nextDue, type MailReader } from './rows/mailbox.ts';
import {
  forgetMessages,
  listAll,
  listDead,
  listSent,
  type DeadRequest,
  type MessagePlace,
} from './rows/messages.ts';
import { forgetPeers, pullBackPresence, type PeerFilter } from './rows/peers.ts';
import { byPresence, FORGET_MESSAGE_MS, FORGET_PEER_MS, type Party } from './rules.ts';
import { isInSight, isWanted, type ListConnected } from './connected.ts';

/** Messages that one round of tidying settles or forgets. */
const AT_ONCE = 500;

type Mail = Readonly<{ messages: PeerMessage[]; waiting: number }>;

/** Who is alive and what they write to each other. Methods that change something take the transaction; façades open it. */
export interface Peers {
  register(tx: Tx, who: Principal, given: Registration): Promise<Peer>;
  /** A sign of life that needs no write of its own; nothing when it does, and `heartbeat` has to follow. */
  noteHeartbeat(q: Query, who: Principal, beat: PeerHeartbeat): Promise<Peer | undefined>;
  heartbeat(tx: Tx, who: Principal, beat: PeerHeartbeat): Promise<Peer>;
  deregister(tx: Tx, who: Principal, peerId: string): Promise<Peer>;
  get(q: Query, who: Principal, peerId: string): Promise<Peer>;
  list(
    q: Query,
    who: Principal,
    filter: PeerFilter & Readonly<{ status?: PeerStatus | undefined }>,
  ): Promise<Peer[]>;
  /** For clients that know peers by pane and name. */
  inPane(q: Query, who: Principal, pane: string): Promise<Peer>;
  named(q: Query, who: Principal, name: PeerName): Promise<Peer>;
  registerNamed(tx: Tx, who: Principal, given: Registration): Promise<Peer>;
  describe(tx: Tx, who: Principal, peerId: string, facts: Readonly<Record<string, string>>): Promise<void>;

  send(tx: Tx, who: Principal, to: string, letter: Letter): Promise<PeerMessage>;
  broadcast(tx: Tx, who: Principal, letter: Letter): Promise<PeerMessage[]>;
  peek(q: Query, who: Principal, mailbox: Addressed, limit: number): Promise<Mail>;
  drain(
    tx: Tx,
    who: Principal,
    mailbox: Addressed,
    how: Readonly<{ limit: number; leaseMs: number | undefined }>,
  ): Promise<Mail>;
  ack(tx: Tx, who: Principal, mailbox: Addressed, ids: readonly string[]): Promise<Acked>;
  message(q: Query, who: Principal, id: string): Promise<PeerMessage>;
  sent(
    q: Query,
    sender: Party,
    page: Readonly<{ before: MessagePlace | undefined; limit: number }>,
  ): Promise<PeerMessage[]>;
  deadLetters(q: Query, request: Omit<DeadRequest, 'now'>): Promise<PeerMessage[]>;
  /** Everybody's, newest first: for the person at the hub. */
  all(q: Query, page: Readonly<{ before: MessagePlace | undefined; limit: number }>): Promise<PeerMessage[]>;
  allDead(
    q: Query,
    page: Readonly<{ before: MessagePlace | undefined; limit: number }>,
  ): Promise<PeerMessage[]>;

  /** For a stream: whose mail it is, whether there is any, when to look again, and the mail itself. */
  reader(q: Query, who: Principal, mailbox: Addressed): Promise<MailReader>;
  hasMail(q: Query, reader: MailReader): Promise<boolean>;
  nextDue(q: Query, reader: MailReader): Promise<number | undefined>;
  handOut(tx: Tx, reader: MailReader, limit: number, leaseMs: number): Promise<PeerMessage[]>;
  resumeAfter(tx: Tx, reader: MailReader, seq: number): Promise<void>;

  /** Takes a post to the inboxes of those it names. */
  deliver(tx: Tx, mention: Mention): Promise<readonly string[]>;
  /** Waiting mail of a bound agent, to go along with the answer to its call. */
  piggyback(who: Principal): Promise<PiggybackMail | undefined>;
  /** How much it had to do; a round is bounded, so there may be more. */
  tidy(tx: Tx): Promise<number>;
  /** Writes down the heartbeats that are still in memory. */
  close(): Promise<void>;
}

export type PeersOptions = PresenceOptions & Readonly<{ living?: ListConnected }>;

export function createPeers(db: Database, options: PeersOptions = {}): Peers {
  const { living = async () => [] } = options;
  const now = () => db.now();
  const presence = createPresence(db, options);
  const show = (messages: readonly StoredMessage[], at: number) =>
    messages.map((message) => presentMessage(message, at));
  const showAll = (messages: readonly StoredMessage[]) =>
    messages.map((message) => presentWithTeams(message, now()));
  const showMail = ({ messages, waiting }: FetchedMail, at: number): Mail => ({
    messages: show(messages, at),
    waiting,
  });
  return {
    register: async (tx, who, given) => presentPeer(await register(tx, who, given)),
    async noteHeartbeat(q, who, beat) {
      const peer = await noteHeartbeat(q, who, beat, presence);
      return peer && presentPeer(peer);
    },
    heartbeat: async (tx, who, beat) => presentPeer(await heartbeat(tx, who, beat)),
    deregister: async (tx, who, peerId) => presentPeer(await deregister(tx, who, peerId, presence)),
    get: async (q, who, peerId) => presentPeer(await getPeer(q, who, peerId, presence)),
    list: async (q, who, filter) => {
      const registered = await listPresent(q, who, filter, presence);
      const connected = (await living(q)).filter(
        (peer) => isInSight(who, peer) && isWanted(peer, filter, registered),
      );
      return [...registered, ...connected].sort(byPresence).map(presentPeer);
    },
    inPane: async (q, who, pane) => presentPeer(await peerInPane(q, who, pane, presence)),
    named: async (q, who, name) => presentPeer(await peerNamed(q, who, name, presence)),
    registerNamed: async (tx, who, given) => presentPeer(await registerNamed(tx, who, given, presence)),
    describe: describePeer,

    send: async (tx, who, to, letter) => presentMessage(await send(tx, who, to, letter), tx.now),
    broadcast: async (tx, who, letter) => show(await broadcast(tx, who, letter, presence), tx.now),
    peek: async (q, who, mailbox, limit) =>
      showMail(await peek(q, who, mailbox, { limit, now: now() }), now()),
    drain: async (tx, who, mailbox, how) => showMail(await drain(tx, who, mailbox, how), tx.now),
    ack,
    message: async (q, who, id) => presentMessage(await readMessage(q, who, id), now()),
    sent: async (q, sender, page) => show(await listSent(q, sender, page), now()),
    all: async (q, page) => showAll(await listAll(q, page)),
    allDead: async (q, page) => showAll(await listDead(q, { ...page, now: now() })),
    deadLetters: async (q, request) => show(await listDead(q, { ...request, now: now() }), now()),

    reader: resolveReader,
    hasMail: (q, reader) => hasDue(q, reader, now()),
    nextDue: (q, reader) => nextDue(q, reader, now()),
    handOut: async (tx, reader, limit, leaseMs) => show(await handOut(tx, reader, limit, leaseMs), tx.now),
    resumeAfter,

    deliver: deliverMention,
    piggyback: createPiggybackMail(db),
    async tidy(tx) {
      await pullBackPresence(tx);
      await forgetPeers(tx, tx.now - FORGET_PEER_MS);
      return (await forgetMessages(tx, tx.now - FORGET_MESSAGE_MS, AT_ONCE)) + (await expire(tx, AT_ONCE));
    },
    close: presence.close,
  };
}
