import { z } from 'zod';
import { change, look } from '../../../operation/operation.ts';
import * as input from '../inputs.ts';
import type { Hook } from '../rows/hooks.ts';
import type { HooksDesk, HooksView } from './hooks.ts';

const hookSchema = z.object({
  id: z.string(),
  url: z.string(),
  task_id: z.string().optional(),
  events: z.array(z.string()),
});

function present({ id, url, runId, kinds }: Hook) {
  return { id, url, ...(runId !== null && { task_id: runId }), events: kinds.split(',') };
}

const addHook = change({
  name: 'add_webhook',
  summary: 'Post the events of runs to an address, signed with the secret that only this answer shows.',
  scope: 'runs:write',
  refusals: ['not_found', 'limited'],
  input: {
    url: z.string().max(2048),
    task_id: input.taskId.optional().describe('Only of this run.'),
    events: z
      .array(z.enum(['task', 'frame', 'terminal']))
      .min(1)
      .optional()
      .describe('task and terminal unless given.'),
  },
  output: hookSchema.extend({ secret: z.string() }),
  route: 'POST /v1/webhooks',
  async run(hooks: HooksDesk, { url, task_id: runId, events: kinds }) {
    const hook = await hooks.add({ url, runId, kinds });
    return { ...present(hook), secret: hook.secret };
  },
});

const listHooks = look({
  name: 'list_webhooks',
  summary: 'The webhooks, without their secrets.',
  scope: 'runs:write',
  input: {},
  output: z.object({ webhooks: z.array(hookSchema), count: z.int() }),
  route: 'GET /v1/webhooks',
  async run(hooks: HooksView) {
    const found = await hooks.list();
    return { webhooks: found.map(present), count: found.length };
  },
});

const removeHook = change({
  name: 'remove_webhook',
  summary: 'End a webhook.',
  scope: 'runs:write',
  refusals: ['not_found'],
  input: { id: z.string().min(1).max(64) },
  output: hookSchema,
  route: 'DELETE /v1/webhooks/:id',
  run: async (hooks: HooksDesk, { id }) => present(await hooks.remove(id)),
});

export const hookOperations = [addHook, listHooks, removeHook] as const;
