import type { Principal } from '../../kernel/principal.ts';
import { mailWaiting } from './brief.ts';
import { type Acting, type Call, type Caller, createActing } from '../../store/calls.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { Mention } from '../chat/chat.ts';
import { resolveReader, type Addressed } from './addresses.ts';
import { describePeer, peerInPane, peerNamed, registerNamed, type PeerName } from './mail/by-name.ts';
import { isHere, isInSight, isWanted, type ListConnected } from './register/connected.ts';
import { ack, drain, expire, handOut, peek, type FetchedMail } from './mail/inbox.ts';
import { findPage, type FoundPage, type MailPage } from './mail/page.ts';
import { createMailWait, type MailWait } from './mail/wait.ts';
import { broadcast, readMessage, send, type Letter } from './mail/mail.ts';
import { deliverMention } from './mail/mentions.ts';
import { presentMessage, presentWithTeams, type Acked, type PeerMessage } from './mail/message.ts';
import { presentPeer, type Peer } from './peer.ts';
import { type AskPiggyback, createAckTold, createPiggybackMail } from './mail/piggyback-mail.ts';
import { createPresence, type PresenceOptions } from './register/presence.ts';
import { notOpen, onlyForPerson } from './refusals.ts';
import {
  deregister,
  getPeer,
  heartbeat,
  listPresent,
  noteHeartbeat,
  register,
  type PeerHeartbeat,
  type PresentFilter,
  type PeerRegistration,
} from './register/register.ts';
import { releaseAfter, type Handing, type MailReader } from './rows/mailbox.ts';
import { readFreely } from '../../store/query-terms.ts';
import {
  forgetMessages,
  listAll,
  listDead,
  listSent,
  type DeadFilter,
  type StoredMessage,
} from './rows/messages.ts';
import { forgetPeers, pullBackPresence } from './rows/peers.ts';
import { byPresence, FORGET_MESSAGE_MS, FORGET_PEER_MS, isAtHub, ownAgent, partyOf } from './rules.ts';
import type { PeerLook, PeerUnit } from './unit.ts';

export type { PeerMessage } from './mail/message.ts';
export type { Peer } from './peer.ts';
export { DEFAULT_LEASE_MS } from './rules.ts';

/** Messages that one round of tidying settles or forgets. */
const AT_ONCE = 500;

/** Who calls, by tool or route, and the sender that the call names. */
type PeerCall = Pick<Call, 'who' | 'via' | 'agentId'>;

/** Who is alive and what they write to each other. */
export interface Peers {
  /** As a caller sees them in a snapshot. */
  at(q: Query, caller: Caller): PeerView;
  /** As a caller changes them in a transaction. */
  in(tx: Tx, caller: Caller): PeerDesk;
  /** The same in a snapshot or a transaction of its own. */
  look<T>(call: PeerCall, unit: (view: PeerView) => Promise<T>): Promise<T>;
  change<T>(call: PeerCall, unit: (desk: PeerDesk) => Promise<T>): Promise<T>;
  /** A sign of life; one that tells nothing new needs no write of its own. */
  beat(call: PeerCall, beat: PeerHeartbeat): Promise<Peer>;
  /** For a stream: resolves when a reader has mail; false when the signal aborted before. */
  awaitMail: MailWait;

  /** Takes a post to the inboxes of those it names. */
  deliver(tx: Tx, mention: Mention): Promise<readonly string[]>;
  /** Waiting mail of a bound agent, to go along with the answer to its call. */
  piggyback: AskPiggyback;
  /** What was told to an agent in a prompt has arrived. */
  ackTold(who: Principal, ids: readonly string[]): Promise<void>;
  /** How many letters wait for an agent, as far as a hundred. */
  waiting(who: Principal): Promise<number>;
  /** How much it had to do; a round is bounded, so there may be more. */
  tidy(tx: Tx): Promise<number>;
  /** The hub is about to stop: from now on callers are refused. */
  settle(): void;
  /** Writes down the heartbeats that are still in memory. */
  close(): Promise<void>;
}

export interface PeerView {
  /** As of when it tells. */
  readonly now: number;
  get(peerId: string): Promise<Peer>;
  list(filter: PresentFilter): Promise<Peer[]>;
  /** Those of the caller's project; whoever belongs to none belongs to all. */
  listHere(filter: PresentFilter): Promise<Peer[]>;
  /** For clients that know peers by pane and name. */
  inPane(pane: string): Promise<Peer>;
  named(name: PeerName): Promise<Peer>;

  peek(mailbox: Addressed, limit: number): Promise<Mail>;
  message(id: string): Promise<PeerMessage>;
  sent(sender: Addressed, page: MailPage): Promise<ShownPage>;
  deadLetters(filter: Omit<DeadFilter, 'party'>, page: MailPage): Promise<ShownPage>;
  /** Everybody's, for the person at the hub. */
  all(page: MailPage & Readonly<{ q?: string | undefined }>): Promise<ShownPage>;
  allDead(page: MailPage): Promise<ShownPage>;
  /** Whose mail a stream follows. */
  reader(mailbox: Addressed): Promise<MailReader>;
}

export interface PeerDesk {
  register(given: PeerRegistration): Promise<Peer>;
  registerNamed(given: PeerRegistration): Promise<Peer>;
  heartbeat(beat: PeerHeartbeat): Promise<Peer>;
  describe(peerId: string, facts: Readonly<Record<string, string>>): Promise<void>;
  deregister(peerId: string): Promise<Peer>;

  send(to: string, letter: Letter): Promise<PeerMessage>;
  /** The same, for nobody but the person at the hub. */
  sendAsPerson(to: string, letter: Letter): Promise<PeerMessage>;
  broadcast(letter: Letter): Promise<PeerMessage[]>;
  drain(mailbox: Addressed, handing: Handing): Promise<Mail>;
  ack(mailbox: Addressed, ids: readonly string[]): Promise<Acked>;
  handOut(reader: MailReader, handing: Handing): Promise<PeerMessage[]>;
  /** A reader that comes back saying what it saw last gets at once what came after, leased or not. */
  resumeAfter(reader: MailReader, seq: number): Promise<void>;
}

type Mail = Readonly<{ messages: PeerMessage[]; waiting: number }>;
type ShownPage = Readonly<{ messages: PeerMessage[]; nextCursor?: string }>;

export type PeersOptions = PresenceOptions & Readonly<{ acting?: Acting; living?: ListConnected }>;

export function createPeers(db: Database, options: PeersOptions = {}): Peers {
  const { living = async () => [], acting = createActing(db) } = options;
  const presence = createPresence(db, options);
  const mailWait = createMailWait(db);
  let isOpen = true;
  const requireOpen = () => {
    if (!isOpen) throw notOpen();
  };
  const at = (q: Query, { who }: Caller): PeerView => {
    requireOpen();
    return viewOf({ q, who, presence, now: db.now() }, living);
  };
  const inTx = (tx: Tx, { who, isPerson }: Caller): PeerDesk => {
    requireOpen();
    return deskOf({ tx, q: tx, who, isPerson, presence, now: tx.now });
  };
  return {
    at,
    in: inTx,
    look: (call, unit) => acting.look({ ...call, name: 'peers' }, (q, caller) => unit(at(q, caller))),
    change: (call, unit) => acting.change({ ...call, name: 'peers' }, (tx, caller) => unit(inTx(tx, caller))),
    async beat(call, beat) {
      requireOpen();
      const noted = await db.read((q) => noteHeartbeat({ q, who: call.who, presence, now: db.now() }, beat));
      return noted ? presentPeer(noted) : this.change(call, (desk) => desk.heartbeat(beat));
    },
    awaitMail: async (reader, signal) => (await mailWait(reader, signal)) && isOpen,

    deliver: deliverMention,
    piggyback: createPiggybackMail(db),
    ackTold: createAckTold(db),
    async waiting(who) {
      const agent = ownAgent(who);
      if (agent === undefined) return 0;
      const now = db.now();
      return (await db.read((q) => mailWaiting(q, { who, agents: [agent], now, limit: 100 }))).length;
    },
    async tidy(tx) {
      await pullBackPresence(tx);
      await forgetPeers(tx, tx.now - FORGET_PEER_MS);
      return (await forgetMessages(tx, tx.now - FORGET_MESSAGE_MS, AT_ONCE)) + (await expire(tx, AT_ONCE));
    },
    settle() {
      isOpen = false;
    },
    close: presence.close,
  };
}

function viewOf(look: PeerLook, living: ListConnected): PeerView {
  const { q, who, now } = look;
  const showPage = ({ messages, ...rest }: FoundPage) => ({ messages: show(messages, now), ...rest });
  const showAll = ({ messages, ...rest }: FoundPage) => ({
    messages: messages.map((message) => presentWithTeams(message, now)),
    ...rest,
  });
  const list = async (filter: PresentFilter) => {
    const registered = await listPresent(look, filter);
    const connected = (await living(q)).filter(
      (peer) => isInSight(who, peer) && isWanted(peer, filter, registered),
    );
    return [...registered, ...connected].sort(byPresence);
  };
  return {
    now,
    get: async (peerId) => presentPeer(await getPeer(look, peerId)),
    list: async (filter) => (await list(filter)).map(presentPeer),
    listHere: async (filter) => (await list(filter)).filter((peer) => isHere(who, peer)).map(presentPeer),
    inPane: async (pane) => presentPeer(await peerInPane(look, pane)),
    named: async (name) => presentPeer(await peerNamed(look, name)),

    peek: async (mailbox, limit) => showMail(await peek(look, mailbox, limit), now),
    message: async (id) => presentMessage(await readMessage(look, id), now),
    async sent(mailbox, page) {
      const sender = await resolveReader(look, mailbox);
      return showPage(await findPage(page, (older) => listSent(q, sender, older)));
    },
    deadLetters: async (filter, page) =>
      showPage(
        await findPage(page, (older) => listDead(q, { ...filter, ...older, party: partyOf(who), now })),
      ),
    async all(page) {
      requirePerson(who);
      const asked = page.q === undefined ? undefined : { query: readFreely(page.q), now };
      return showAll(await findPage(page, (older) => listAll(q, { ...older, asked })));
    },
    async allDead(page) {
      requirePerson(who);
      return showAll(await findPage(page, (older) => listDead(q, { ...older, now })));
    },
    reader: (mailbox) => resolveReader(look, mailbox),
  };
}

function deskOf(unit: PeerUnit): PeerDesk {
  const { tx, who, now } = unit;
  return {
    register: async (given) => presentPeer(await register(unit, given)),
    registerNamed: async (given) => presentPeer(await registerNamed(unit, given)),
    heartbeat: async (beat) => presentPeer(await heartbeat(unit, beat)),
    describe: (peerId, facts) => describePeer(unit, peerId, facts),
    deregister: async (peerId) => presentPeer(await deregister(unit, peerId)),

    send: async (to, letter) => presentMessage(await send(unit, to, letter), now),
    async sendAsPerson(to, letter) {
      requirePerson(who);
      return presentMessage(await send(unit, to, letter), now);
    },
    broadcast: async (letter) => show(await broadcast(unit, letter), now),
    drain: async (mailbox, handing) => showMail(await drain(unit, mailbox, handing), now),
    ack: (mailbox, ids) => ack(unit, mailbox, ids),
    handOut: async (reader, handing) => show(await handOut(tx, reader, handing), now),
    async resumeAfter(reader, seq) {
      await releaseAfter(tx, reader, seq);
    },
  };
}

function requirePerson(who: Principal): void {
  if (!isAtHub(who)) throw onlyForPerson();
}

function show(messages: readonly StoredMessage[], now: number): PeerMessage[] {
  return messages.map((message) => presentMessage(message, now));
}

function showMail({ messages, waiting }: FetchedMail, now: number): Mail {
  return { messages: show(messages, now), waiting };
}
