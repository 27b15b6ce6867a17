import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { byRoute, type Acting } from '../../store/acting.ts';
import * as input from './inputs.ts';
import { conflictSchema, reservationSchema } from './reservation.ts';
import type { Reservations } from './reservations.ts';

/** `/api/reservations`: who works on which files, for scripts, guards and the dashboard. */
export function reservationRoutes(acting: Acting, reservations: Reservations): Route[] {
  const place = {
    tag: 'reservations',
    refusals: ['not_found', 'conflict', 'stale_fence', 'limited'],
  } as const;
  return [
    defineRoute({
      ...place,
      method: 'GET',
      path: '/api/reservations',
      summary: 'List the living reservations; path shows only those that meet it.',
      scope: 'board:read',
      query: z.object({
        taskId: input.taskId.optional(),
        path: input.path.optional(),
        root: input.root.optional(),
      }),
      response: z.object({ reservations: z.array(reservationSchema) }),
      handler: async ({ query }, { who }) => ({
        reservations: await acting.look(byRoute(who, 'list'), (q) => reservations.list(q, who, query)),
      }),
    }),
    defineRoute({
      ...place,
      method: 'POST',
      path: '/api/reservations',
      summary: 'Reserve files for a task one holds; conflicts name who works there.',
      scope: 'board:write',
      status: 201,
      body: z.strictObject({ taskId: input.taskId, ...input.reserving, ...input.identity }),
      response: z.object({ reserved: z.array(reservationSchema), conflicts: z.array(conflictSchema) }),
      async handler(
        { body: { taskId, agentId, fence, patterns, root: named, exclusive = true, reason, strict = false } },
        { who },
      ) {
        const root = named ?? (await reservations.rootOf(who));
        const call = { ...byRoute(who, 'reserve'), agentId, fence };
        const request = { patterns, root, isNamed: named !== undefined, exclusive, reason, strict };
        return acting.change(call, (tx, caller) => reservations.reserve(tx, caller, { ...request, taskId }));
      },
    }),
    defineRoute({
      ...place,
      method: 'POST',
      path: '/api/reservations/release',
      summary: 'Take back reservations of a task one holds.',
      scope: 'board:write',
      body: z.strictObject({ taskId: input.taskId, patterns: input.patterns.optional(), ...input.identity }),
      response: z.object({ released: z.array(reservationSchema) }),
      async handler({ body: { taskId, agentId, fence, patterns } }, { who }) {
        const call = { ...byRoute(who, 'reserve'), agentId, fence };
        return {
          released: await acting.change(call, (tx, caller) =>
            reservations.release(tx, caller, { taskId, patterns }),
          ),
        };
      },
    }),
  ];
}
