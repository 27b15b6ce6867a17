import { HubError } from '../../kernel/errors.ts';
import type { Actor, Principal } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import type { Peers } from './peers.ts';

/** What façades are given: the register may not be there yet, or not any more, while the port already answers. */
export type PeersHouse = Readonly<{ db: Database; peers(): Peers | undefined }>;

export function requirePeers({ peers }: PeersHouse): Peers {
  const ready = peers();
  if (!ready)
    throw new HubError('unavailable', 'peer registry not initialised', { hint: 'The hub is starting or stopping; try again in a moment.' });
  return ready;
}

export function actorOf(who: Principal, named: string | undefined): Actor {
  if (who.bound.agent !== undefined) return { id: who.bound.agent, asserted: false };
  return named === undefined ? { id: who.id, asserted: false } : { id: named, asserted: true };
}
