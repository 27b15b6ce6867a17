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
    write: (tx, peerId, at) => markSeen(tx, peerId, seenAt(at, tx.now)),
  });
  /** The moment of a sign, from what has passed since: whatever became of the clock meanwhile. */
  const seenAt = (at: number, now: number) => Math.round(now - (db.elapsed() - at));
  return {
    touch: (peerId) => signs.set(peerId, db.elapsed()),
    seen(peer) {
      const now = db.now();
      const sign = signs.get(peer.peerId);
      const lastSeen = Math.max(peer.lastSeen, sign === undefined ? 0 : seenAt(sign, now));
      return { ...peer, lastSeen, status: statusAt({ status: peer.status, lastSeen }, now) };
    },
    close: signs.close,
  };
}
