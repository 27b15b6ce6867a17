import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { byRoute, type Acting } from '../../store/acting.ts';
import type { Seats } from './seats.ts';

export const seatSchema = z.object({
  id: z.string().describe('Tells two seats apart; no credential.'),
  name: z.string(),
  bound: z.boolean().describe('The name comes from a credential; otherwise the connection was given it.'),
  teamId: z.string().nullable(),
  client: z.string(),
  server: z.string(),
  pid: z.int().nullable(),
  openedAt: z.int(),
  calledAt: z.int(),
  seenAt: z.int(),
});
export type SeatView = z.infer<typeof seatSchema>;

export const seatsSchema = z.object({ seats: z.array(seatSchema), asOf: z.int(), livingMs: z.int() });
export type SeatsView = z.infer<typeof seatsSchema>;

/** A seat that gave no sign for this long counts as gone (`LIVING_MS` of `seats.ts`). */
export function seatRoutes(acting: Acting, seats: Seats, living: Readonly<{ forMs: number; now(): number }>): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/seats',
      summary: 'Who is connected: each connection with its name and project.',
      tag: 'access',
      scope: 'hub:read',
      response: seatsSchema,
      async handler(_input, { who }) {
        const found = await acting.look(byRoute(who, 'seats'), (q) => seats.living(q, who.bound.team));
        return {
          seats: found.map(({ seat, isBound, parent: _parent, ...rest }) => ({ id: seat.slice(0, 12), bound: isBound, ...rest })),
          asOf: living.now(),
          livingMs: living.forMs,
        };
      },
    }),
  ];
}
