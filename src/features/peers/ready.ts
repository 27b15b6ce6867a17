import { HubError } from '../../kernel/errors.ts';
import type { Acting, Call } from '../../store/acting.ts';
import type { Database } from '../../store/database.ts';
import type { Peers } from './peers.ts';

/** What façades are given: the register may not be there yet, or not any more, while the port already answers. */
export type PeersHouse = Readonly<{ db: Database; acting: Acting; peers(): Peers | undefined }>;

export function requirePeers({ peers }: PeersHouse): Peers {
  const ready = peers();
  if (!ready)
    throw new HubError('unavailable', 'peer registry not initialised', {
      hint: 'The hub is starting or stopping; try again in a moment.',
    });
  return ready;
}

/** A letter names its sender; a credential knows better. */
export function senderOf(call: Call, named: string | undefined): Call {
  return call.who.bound.agent === undefined && named !== undefined ? { ...call, agentId: named } : call;
}
