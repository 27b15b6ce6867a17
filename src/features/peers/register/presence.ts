import { type Log, silentLog } from '../../../kernel/log.ts';
import { createCoalesced } from '../../../store/coalesced.ts';
import type { Database } from '../../../store/database.ts';
import { markSeen, type StoredPeer } from '../rows/peers.ts';
import { FLUSH_MS, statusAt } from '../rules.ts';

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

/** When somebody was heard of: by what has passed, and by the clock. */
type Sign = Readonly<{ at: number; moment: number }>;

/** A clock that is further off has been set. */
const SET_MS = 1_000;

export function createPresence(
  db: Database,
  { log = silentLog, flushMs = FLUSH_MS }: PresenceOptions,
): Presence {
  const signs = createCoalesced<Sign>({
    db,
    log,
    what: 'Heartbeats',
    everyMs: flushMs,
    write: (tx, peerId, sign) => markSeen(tx, peerId, momentOf(sign, tx.now)),
  });
  /** The moment of a sign as it was noted, unless the clock was set since: then what has passed tells it. */
  const momentOf = ({ at, moment }: Sign, now: number) => {
    const byAge = Math.round(now - (db.elapsed() - at));
    return Math.abs(byAge - moment) < SET_MS ? moment : byAge;
  };
  return {
    touch: (peerId) => signs.set(peerId, { at: db.elapsed(), moment: db.now() }),
    seen(peer) {
      const now = db.now();
      const sign = signs.get(peer.peerId);
      const lastSeen = Math.max(peer.lastSeen, sign === undefined ? 0 : momentOf(sign, now));
      return { ...peer, lastSeen, status: statusAt({ status: peer.status, lastSeen }, now) };
    },
    close: signs.close,
  };
}
