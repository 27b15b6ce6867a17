import { z } from 'zod';
import { defineTool, type Tool } from '../../mcp/define.ts';
import { byTool, type Acting } from '../../store/acting.ts';
import * as input from './inputs.ts';
import { conflictSchema, reservationSchema } from './reservation.ts';
import type { Reservations } from './reservations.ts';

/** File reservations as tools: on the hub endpoint, and in the extended profile of the board's server. */
export function reservationTools(acting: Acting, reservations: Reservations, profile?: 'extended'): Tool[] {
  const changing = {
    ...(profile && { profile }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
    scope: 'board:write',
    effect: 'state',
  } as const;
  return [
    defineTool({
      ...changing,
      name: 'reserve_files',
      title: 'Reserve files',
      description:
        'Tells others which files you work on for a task you hold. It advises: conflicts name who works there, nothing is locked. Ends with your claim.',
      input: z.object({ taskId: input.taskId, ...input.reserving, ...input.identity }),
      output: z.object({ reserved: z.array(reservationSchema), conflicts: z.array(conflictSchema) }),
      async handler(
        { taskId, agentId, fence, patterns, root: named, exclusive = true, reason, strict = false },
        { who },
      ) {
        const root = named ?? (await reservations.rootOf(who));
        const request = { patterns, root, isNamed: named !== undefined, exclusive, reason, strict };
        const call = { ...byTool(who, 'reserve'), agentId, fence };
        return {
          ok: true,
          value: await acting.change(call, (tx, caller) =>
            reservations.reserve(tx, caller, { ...request, taskId }),
          ),
        };
      },
    }),
    defineTool({
      ...changing,
      name: 'release_files',
      title: 'Release files',
      description:
        'Takes back reservations of a task you hold: the named patterns, or all. Releasing or finishing the task does it, too.',
      input: z.object({ taskId: input.taskId, patterns: input.patterns.optional(), ...input.identity }),
      output: z.object({ released: z.array(reservationSchema) }),
      async handler({ taskId, patterns, agentId, fence }, { who }) {
        const call = { ...byTool(who, 'reserve'), agentId, fence };
        const released = await acting.change(call, (tx, caller) =>
          reservations.release(tx, caller, { taskId, patterns }),
        );
        return { ok: true, value: { released } };
      },
    }),
    defineTool({
      ...changing,
      annotations: { ...changing.annotations, readOnlyHint: true },
      scope: 'board:read',
      effect: 'read',
      name: 'list_reservations',
      carries: ['reason'],
      title: 'List reservations',
      description:
        'Who works on which files now. path shows only what meets that file or pattern: ask before you edit.',
      input: z.object({
        taskId: input.taskId.optional().describe('Only of this task.'),
        path: input.path.optional(),
        root: input.root.optional(),
        all: z.boolean().optional().describe('Every project, not only yours.'),
      }),
      output: z.object({ reservations: z.array(reservationSchema) }),
      handler: async (filter, { who }) => ({
        ok: true,
        value: {
          reservations: await acting.look(byTool(who, 'list'), (q) => reservations.list(q, who, filter)),
        },
      }),
    }),
  ];
}
