import { createHash } from 'node:crypto';

/** A seat as it may be written down: tells the same connection again, and is of no use to anyone who reads it. */
export function digestOfSeat(seat: string): string {
  return createHash('sha256').update(seat).digest('hex').slice(0, 32);
}
