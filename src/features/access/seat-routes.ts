import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { ancestorsOf } from '../../kernel/processes.ts';
import { byRoute, type Acting } from '../../store/acting.ts';
import { requirePerson } from '../../kernel/principal.ts';
import { findOwnSeat } from './meeting.ts';
import type { LivingSeat } from './living-seat.ts';
import type { Seats } from './seats.ts';

const seatSchema = z.object({
  name: z.string(),
  known: z.enum(['bound', 'automatic']),
  teamId: z.string().nullable(),
  client: z.string().describe('What it calls itself, as a short word.'),
  server: z.string(),
  pid: z.int().nullable(),
  openedAt: z.int(),
  calledAt: z.int().describe('Its last call.'),
  seenAt: z.int().describe('Its last sign of life.'),
});

export type SeatView = z.infer<typeof seatSchema>;

const kin = z.object({ pid: z.int().min(1), name: z.string().max(256) });

/** `/api/seats`: the connections that are alive. */
export function seatRoutes(acting: Acting, seats: Seats): readonly Route[] {
  const place = { tag: 'access' } as const;
  return [
    defineRoute({
      ...place,
      method: 'GET',
      path: '/api/seats',
      summary: 'Who is here: every living connection and credential, with its name and project.',
      scope: 'hub:read',
      query: z.object({ teamId: z.string().min(1).max(200).optional() }),
      response: z.object({ seats: z.array(seatSchema) }),
      handler: async ({ query }, { who }) => ({
        seats: (
          await acting.look(byRoute(who, 'seats'), (q) => seats.living(q, who.bound.team ?? query.teamId))
        ).map(present),
      }),
    }),
    defineRoute({
      ...place,
      method: 'POST',
      path: '/api/seats/beside',
      summary:
        'A hook of a client is at work: answers the name of the connection that the same client has, if it has one.',
      scope: 'hub:read',
      body: z.strictObject({
        line: z.array(kin).max(64).describe('The ancestors of the hook, its parent first.'),
      }),
      response: z.object({ name: z.string().nullable(), teamId: z.string().nullable() }),
      async handler({ body }, { who }) {
        requirePerson(who, 'Saying which processes belong together');
        const living = await acting.look(byRoute(who, 'seats'), (q) => seats.living(q));
        const own = findOwnSeat(living, body.line, ancestorsOf);
        if (own) seats.heardBeside(own.seat);
        return { name: own?.name ?? null, teamId: own?.teamId ?? null };
      },
    }),
  ];
}

function present({ name, isBound, teamId, client, server, pid, openedAt, calledAt, seenAt }: LivingSeat) {
  const known = isBound ? ('bound' as const) : ('automatic' as const);
  return { name, known, teamId, client, server, pid, openedAt, calledAt, seenAt };
}
