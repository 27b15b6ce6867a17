import { HubError } from '../../kernel/errors.ts';
import { type Principal, systemPrincipal } from '../../kernel/principal.ts';
import type { KeySource } from '../../kernel/signing-key.ts';
import { createSeal } from '../../mcp/seal.ts';
import { actorFor, hubCaller } from '../../store/calls.ts';
import type { Database } from '../../store/database.ts';
import type { Broker } from '../broker/broker.ts';

/**
 * Links that say no. Each is for one request with the very arguments it was made for, and for one use; whoever holds it can
 * keep a call from running and nothing else. Nothing is kept of them: each names its request and is signed together with what
 * that request would do, so that it is good as long as the request waits, also for a hub that was started meanwhile.
 */
export interface Denials {
  /** Undefined when the request no longer waits. */
  ticketFor(approvalId: string): Promise<string | undefined>;
  deny(ticket: string): Promise<void>;
}

/** Who decides in the audit: nobody knows more than that somebody had the link. */
const BY_NOTICE: Principal = { ...systemPrincipal, id: 'notice' };

type Parts = Readonly<{ db: Database; broker: Pick<Broker, 'at' | 'in'>; key: KeySource }>;

export function createDenials({ db, broker, key }: Parts): Denials {
  // What the call would do is signed and not told.
  const sealOf = (argsHash: string) => createSeal(key, `denial of ${argsHash}`);
  return {
    async ticketFor(id) {
      const argsHash = await db.read((q) => broker.at(q, hubCaller).argsHashOf(id));
      return argsHash === undefined ? undefined : sealOf(argsHash).close(id);
    },

    async deny(ticket) {
      const id = idIn(ticket);
      const isDenied =
        id !== undefined &&
        (await db.write(actorFor(BY_NOTICE), async (tx) => {
          const argsHash = await broker.at(tx, hubCaller).argsHashOf(id);
          if (argsHash === undefined || sealOf(argsHash).open(ticket) !== id) return false;
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

/** Which request a link says it is for; believed once its seal is. */
function idIn(ticket: string): string | undefined {
  try {
    const id: unknown = JSON.parse(Buffer.from(ticket.split('.')[0]!, 'base64url').toString('utf8'));
    return typeof id === 'string' && id.length <= 64 ? id : undefined;
  } catch {
    return undefined;
  }
}
