import { sha256 } from './digest.ts';
import type { Principal } from './principal.ts';
import { remembered } from './remembered.ts';

/** A seat as it may be written down: tells the same connection again, and is of no use to anyone who reads it. */
export const digestOfSeat = remembered((seat) => sha256(seat).slice(0, 32));

/**
 * What claims and leases know a caller by. Under a token or a signed URL the credential is the seat, so that a run and
 * the agent inside it are one; otherwise the connection is; an unsigned binding without a connection is known by its
 * name in its team. Null for who has neither.
 */
export function seatOf({ kind, id, credential, seat, bound }: Principal): string | null {
  if (kind === 'agent') return digestOfSeat(`credential:${credential ?? id}`);
  if (seat !== '') return digestOfSeat(seat);
  if (bound.agent === undefined) return null;
  const name = bound.team === undefined ? bound.agent : JSON.stringify([bound.team, bound.agent]);
  return digestOfSeat(`agent:${name}`);
}
