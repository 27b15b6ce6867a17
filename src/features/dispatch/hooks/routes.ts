import { z } from 'zod';
import { defineRoute, type Route } from '../../../http/route.ts';
import { type Acting, byRoute } from '../../../store/acting.ts';
import * as input from '../inputs.ts';
import type { Hook } from '../rows/hooks.ts';
import type { Hooks } from './hooks.ts';

const hookSchema = z.object({
  id: z.string(),
  url: z.string(),
  task_id: z.string().optional(),
  events: z.array(z.string()),
});
const shared = { tag: 'runs', scope: 'runs:write' } as const;

function present({ id, url, runId, kinds }: Hook) {
  return { id, url, ...(runId !== null && { task_id: runId }), events: kinds.split(',') };
}

/** `/v1/webhooks`: the events of runs, posted to an address. */
export function hookRoutes(acting: Acting, hooks: Hooks): Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/webhooks',
      summary: 'Post the events of runs to an address, signed with the secret that only this answer shows.',
      refusals: ['not_found', 'limited'],
      body: z.object({
        url: z.string().max(2048),
        task_id: input.taskId.optional().describe('Only of this run.'),
        events: z
          .array(z.enum(['task', 'frame', 'terminal']))
          .min(1)
          .optional()
          .describe('task and terminal unless given.'),
      }),
      response: hookSchema.extend({ secret: z.string() }),
      handler: async ({ body }, { who }) => {
        const request = { url: body.url, runId: body.task_id, kinds: body.events };
        const hook = await acting.change(byRoute(who, 'webhooks'), (tx, caller) =>
          hooks.add(tx, caller, request),
        );
        return { ...present(hook), secret: hook.secret };
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/webhooks',
      summary: 'The webhooks, without their secrets.',
      response: z.object({ webhooks: z.array(hookSchema), count: z.int() }),
      handler: async (_input, { who }) => {
        const found = await acting.look(byRoute(who, 'webhooks'), (q, caller) => hooks.list(q, caller));
        return { webhooks: found.map(present), count: found.length };
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: '/v1/webhooks/:id',
      summary: 'End a webhook.',
      refusals: ['not_found'],
      params: z.object({ id: z.string().min(1).max(64) }),
      response: hookSchema,
      handler: async ({ params }, { who }) =>
        present(
          await acting.change(byRoute(who, 'webhooks'), (tx, caller) => hooks.remove(tx, caller, params.id)),
        ),
    }),
  ];
}
