import type { Log } from '../../../kernel/log.ts';
import { systemActor } from '../../../kernel/principal.ts';
import type { Arrival } from '../../../mcp/engine/arrival.ts';
import type { Database } from '../../../store/database.ts';

/** Tells the feed when a client comes, so that someone can wait for it. Presence, not history: bursts become one event. */
export type Arrivals = (arrival: Arrival) => void;

/** A client that reconnects within this time has not arrived anew. */
const QUIET_MS = 10_000;
/** However many names a caller makes up, this many arrivals are told in one quiet time. */
const MAX_TOLD = 60;

export function createArrivals({ db, log }: Readonly<{ db: Database; log: Log }>): Arrivals {
  const toldAt = new Map<string, number>();
  return ({ server, client, team }) => {
    const name = slug(client);
    const key = `${server} ${team ?? ''} ${name}`;
    const now = db.elapsed();
    for (const [old, at] of toldAt) if (now - at >= QUIET_MS) toldAt.delete(old);
    if (toldAt.has(key) || toldAt.size >= MAX_TOLD) return;
    toldAt.set(key, now);
    const event = {
      kind: 'client.joined',
      subject: server,
      realm: 'hub',
      ...(team !== undefined && { team }),
      data: { client: name },
    } as const;
    db.write(systemActor, async (tx) => tx.emit(event)).catch((error: unknown) =>
      log.debug('the arrival of a client was not told', { server, error }),
    );
  };
}

/** What a client calls itself is its own text; events carry names only. */
function slug(client: string): string {
  return (
    client
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 40) || 'unknown'
  );
}
