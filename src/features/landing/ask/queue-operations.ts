import { z } from 'zod';
import { nameField } from '../../../operation/identity.ts';
import { work } from '../../../operation/operation.ts';
import { callOf } from '../../../store/calls.ts';
import type { Landings } from '../landing.ts';
import { queueSchema } from './queues.ts';

const listQueues = work({
  scope: 'runs:read',
  effect: 'read',
  refusals: [],
  name: 'list_land_queues',
  summary: 'The targets that things land on: paused or not, and how it is done there.',
  input: { project: nameField().optional() },
  output: z.object({ queues: z.array(queueSchema) }),
  route: 'GET /api/landings/queues',
  run: async (landings: Landings, { project }, context) => ({
    queues: await landings.queues(callOf(context, 'list_land_queues'), project),
  }),
});

export const queueOperations = [listQueues] as const;
