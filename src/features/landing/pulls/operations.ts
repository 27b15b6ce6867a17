// Pull requests of tasks, over REST.
import { z } from 'zod';
import { nameField } from '../../../operation/identity.ts';
import { work } from '../../../operation/operation.ts';
import { callOf } from '../../../store/calls.ts';
import { type Pulls, pullSchema } from './pulls.ts';

const read = { scope: 'runs:read', effect: 'read', refusals: ['not_found'] } as const;
const write = {
  scope: 'runs:write',
  effect: 'state',
  refusals: ['not_found', 'invalid', 'conflict', 'forbidden', 'unavailable'],
} as const;
const taskId = nameField().optional();
const many = z.object({ pulls: z.array(pullSchema) });

const openPull = work({
  ...write,
  refusals: [...write.refusals, 'unauthorized'],
  name: 'open_pull',
  summary:
    "Push a task's branch and open a pull request for it through gh; one that is open already is pushed to.",
  input: {
    taskId: nameField(),
    branch: nameField().optional(),
    folder: z.string().min(1).max(4_096).optional().describe('A folder of the checkout that is meant.'),
  },
  output: pullSchema,
  route: 'POST /api/pulls',
  status: 201,
  run: (pulls: Pulls, request, context) => pulls.open(callOf(context, 'open_pull'), request),
});

const listPulls = work({
  ...read,
  name: 'list_pulls',
  summary: 'Pull requests of tasks, newest first.',
  input: { taskId },
  output: many,
  route: 'GET /api/pulls',
  run: async (pulls: Pulls, { taskId: of }, context) => ({
    pulls: await pulls.list(callOf(context, 'list_pulls'), of),
  }),
});

const syncPulls = work({
  ...write,
  name: 'sync_pulls',
  summary: 'Look at pull requests now: review comments, merged or closed.',
  input: { taskId },
  output: many,
  route: 'POST /api/pulls/sync',
  run: async (pulls: Pulls, { taskId: of }, context) => ({
    pulls: await pulls.sync(callOf(context, 'sync_pulls'), of),
  }),
});

export const pullOperations = [openPull, listPulls, syncPulls] as const;
