import { homeTeam, isPerson, type Principal } from '../../kernel/principal.ts';
import { cleanWords } from '../../kernel/words.ts';
import type { StoredPeer } from './rows/peers.ts';
import type { PeerStatus } from './words.ts';

/** The pure decisions about who is alive and whose mail is whose. */
const STALE_MS = 60_000;
/** How late a heartbeat may reach the disk, where other hubs see it. */
export const FLUSH_MS = 5_000;
/** When the mail of a silent session falls to others of its agent: with time for a sign that is still on its way. */
export const GIVEN_UP_MS = STALE_MS + 2 * FLUSH_MS;
export const DEFAULT_CIRCLE = 'default';
/** The person at the hub, when neither a credential nor the call names anyone else. */
export const PERSON = 'user';
/** Waiting messages of one mailbox. Beyond that a sender is refused; nothing that was taken is ever dropped. */
export const MAX_WAITING = 1_000;
export const MAX_PEERS = 10_000;

const DAY = 24 * 60 * 60_000;
export const DEFAULT_TTL_MS = 7 * DAY;
/** How long a message that nobody acked counts as being worked on. */
export const DEFAULT_LEASE_MS = 60_000;
export const MAX_LEASE_MS = 60 * 60_000;
/** Hubs on one database are not quite of one time: a lease that another has just granted may end a moment later than ours could. */
export const CLOCKS_APART_MS = 60_000;
/** When the register forgets a peer it has not heard of; mail for its agent stays. */
export const FORGET_PEER_MS = 7 * DAY;
export const FORGET_MESSAGE_MS = 30 * DAY;

/** A time that lies ahead comes from before the clock was set back: it tells nothing about now. */
export function statusAt(peer: Pick<StoredPeer, 'status' | 'lastSeen'>, now: number): PeerStatus {
  return Math.abs(now - peer.lastSeen) > STALE_MS ? 'offline' : peer.status;
}

const ORDER: Readonly<Record<PeerStatus, number>> = { online: 0, busy: 1, offline: 2 };

export function byPresence(a: StoredPeer, b: StoredPeer): number {
  return (
    ORDER[a.status] - ORDER[b.status] || compare(a.displayName, b.displayName) || compare(a.peerId, b.peerId)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Of no team: what a mailbox or a session says that belongs to none. */
export const NO_TEAM = '';

/** A mailbox: that of an agent in a circle of a team. Namesakes of two teams share nothing. */
export type MailboxKey = Readonly<{ team: string; circle: string; agentId: string }>;

/** Who a message or a session is of. */
export type Party = Pick<MailboxKey, 'team' | 'agentId'>;

/** An agent's credential reaches that agent's peers and mail, in its team; the person at the hub reaches all. */
export function mayActAs(who: Principal, { team, agentId }: Party): boolean {
  return isWithinWall(who, team) && (who.bound.agent === undefined || who.bound.agent === agentId);
}

/** Whose mail alone a caller may be shown; undefined for who may see all. */
export function partyOf(who: Principal): Partial<Party> | undefined {
  const { team, agent: agentId } = who.bound;
  if (team === undefined && agentId === undefined) return undefined;
  return { ...(isWalled(who) && { team: homeTeam(who) }), ...(agentId !== undefined && { agentId }) };
}

/** What a caller reaches: a credential its own team or none, a binding at this machine what is of none as well, a person all. */
export function isWithinWall(who: Principal, team: string): boolean {
  return !isWalled(who) || homeTeam(who) === team || (team === NO_TEAM && who.kind !== 'agent');
}

/** Is this mailbox of its name the caller's own? A name that the hub gave is one of its project only. */
export function isOwnTeam(who: Principal, team: string): boolean {
  return (
    homeTeam(who) === team || (team === NO_TEAM && who.kind !== 'agent' && who.bound.agent !== undefined)
  );
}

export function isWalled({ kind, bound }: Principal): boolean {
  return bound.team !== undefined || kind === 'agent';
}

/** The person at the hub, whom no team confines. */
export function isAtHub(who: Principal): boolean {
  return isPerson(who) && who.bound.team === undefined;
}

/** A letter names its sender; a credential knows better. */
export function senderNamed({ bound }: Principal, named: string | undefined): string | undefined {
  return bound.agent === undefined ? named : undefined;
}

/** The agent that a caller is, as far as its connection tells. */
export function ownAgent({ bound, default: taken }: Principal): string | undefined {
  return bound.agent ?? taken?.agent;
}

export function cleanText(text: string): string {
  return cleanWords(text, {
    what: 'a message',
    blank: 'text is required',
    tooLongHint: 'Send a summary and say where the rest can be read.',
  });
}

/** What a reader waits on. No name can pretend to be two. */
export function inboxSubject({ team, circle, agentId }: MailboxKey): string {
  return `inbox:${[team, circle, agentId].map(encodeURIComponent).join('/')}`;
}

export function teamOfPeer({ team }: Pick<StoredPeer, 'team'>): string {
  return team ?? NO_TEAM;
}

export function mailboxOfPeer(peer: Pick<StoredPeer, 'team' | 'circle' | 'agentId'>): MailboxKey {
  return { team: teamOfPeer(peer), circle: peer.circle, agentId: peer.agentId };
}
