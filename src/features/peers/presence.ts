import { type Log, silentLog } from '../../kernel/log.ts';
import { createCoalesced } from '../../store/coalesced.ts';
import type { Database } from '../../store/database.ts';
import type { StoredPeer } from './peer.ts';
import { markSeen } from './rows/peers.ts';
import { FLUSH_MS, statusAt } from './rules.ts';

/**
 * Who was heard of when. A heartbeat that changes nothing else is no durable write of its own: it is kept here and
 * written with the others every few seconds. This process shows it at once, other hubs after that.
 */
export interface Presence {
  touch(peerId: string): void;
  /** The peer as of now: when it was heard of, written down or not, and what follows for its status. */
  seen(peer: StoredPeer): StoredPeer;
  /** Writes down what is still in memory. */
  close(): Promise<void>;
}

export type PresenceOptions = Readonly<{ log?: Log; flushMs?: number }>;

export function createPresence(
  db: Database,
  { log = silentLog, flushMs = FLUSH_MS }: PresenceOptions,
): Presence {
  const signs = createCoalesced<number>({
    db,
    log,
    what: 'Heartbeats',
    everyMs: flushMs,
    write: (tx, peerId, at) => markSeen(tx, peerId, Math.min(at, tx.now)),
  });
  return {
    touch: (peerId) => signs.set(peerId, db.now()),
    seen(peer) {
      const now = db.now();
      // A sign that lies ahead was given before the clock was set back: it counts from now.
      const lastSeen = Math.max(peer.lastSeen, Math.min(signs.get(peer.peerId) ?? 0, now));
      return { ...peer, lastSeen, status: statusAt({ status: peer.status, lastSeen }, now) };
    },
    close: signs.close,
  };
}
