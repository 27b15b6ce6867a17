import { expect, it } from 'vitest';
import { localPrincipal } from './principal.ts';
import { seatOf } from './seat.ts';

it('a name without a connection is one seat in its team, and another in another team', () => {
  const seats = [{ team: 'red' }, { team: 'blue' }, {}].map((bound) =>
    seatOf(localPrincipal('', { agent: 'ada', ...bound })),
  );
  expect(new Set(seats).size).toBe(3);
  expect(seatOf(localPrincipal('', { agent: 'ada', team: 'red' }))).toBe(seats[0]);
  expect(seatOf(localPrincipal(''))).toBeNull();
});
