import type { Principal } from '../../kernel/principal.ts';
import { cleanWords } from '../../kernel/words.ts';
import type { PeerStatus, StoredPeer } from './peer.ts';

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

/** An agent's credential reaches that agent's peers and mail; the person at the hub reaches all. */
export function mayActAs(who: Principal, agentId: string): boolean {
  return who.bound.agent === undefined || who.bound.agent === agentId;
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

/** What a reader waits on: the mailbox of an agent in a circle. */
export function inboxSubject({ circle, agentId }: Readonly<{ circle: string; agentId: string }>): string {
  return `inbox:${circle}/${agentId}`;
}
