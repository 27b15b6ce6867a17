import { randomBytes } from 'node:crypto';
import { BoundedMap } from '../../kernel/bounded-map.ts';
import { sha256 } from '../../kernel/digest.ts';
import { HubError } from '../../kernel/errors.ts';
import { type Principal, systemPrincipal } from '../../kernel/principal.ts';
import { actorFor, hubCaller } from '../../store/acting.ts';
import type { Database } from '../../store/database.ts';
import type { Broker } from '../broker/broker.ts';

/**
 * Links that say no. Each is for one request with the very arguments it was made for, and for one use; whoever holds it can
 * keep a call from running and nothing else. They are known to the hub that made them, as long as it runs.
 */
export interface Denials {
  /** Undefined when the request no longer waits. */
  ticketFor(approvalId: string): Promise<string | undefined>;
  deny(ticket: string): Promise<void>;
}

const MOST = 1_000;
/** Who decides in the audit: nobody knows more than that somebody had the link. */
const BY_NOTICE: Principal = { ...systemPrincipal, id: 'notice' };

type Parts = Readonly<{ db: Database; broker: Pick<Broker, 'at' | 'in'> }>;

export function createDenials({ db, broker }: Parts): Denials {
  // By their digests: what is in memory opens nothing.
  const tickets = new BoundedMap<string, Readonly<{ id: string; argsHash: string }>>(MOST);
  return {
    async ticketFor(id) {
      const argsHash = await db.read((q) => broker.at(q, hubCaller).argsHashOf(id));
      if (argsHash === undefined) return undefined;
      const ticket = randomBytes(24).toString('base64url');
      tickets.set(sha256(ticket), { id, argsHash });
      return ticket;
    },

    async deny(ticket) {
      const key = sha256(ticket);
      const found = tickets.get(key);
      tickets.delete(key);
      const isDenied =
        found !== undefined &&
        (await db.write(actorFor(BY_NOTICE), async (tx) => {
          const { id, argsHash } = found;
          if ((await broker.at(tx, hubCaller).argsHashOf(id)) !== argsHash) return false;
          const { status } = await broker
            .in(tx, { who: BY_NOTICE })
            .resolve({ id, decision: 'deny', note: 'Denied from a notice.' });
          return status === 'deny';
        }));
      if (isDenied) return;
      throw new HubError('not_found', 'This link was used, or its request is decided or over.', {
        hint: '`holdfast approvals` shows what waits.',
      });
    },
  };
}
