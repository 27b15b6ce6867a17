import { sha256 } from './digest.ts';

/** A seat as it may be written down: tells the same connection again, and is of no use to anyone who reads it. */
export function digestOfSeat(seat: string): string {
  return sha256(seat).slice(0, 32);
}
