// What one can ask about branches that do not go together.
import { z } from 'zod';
import { nameField } from '../../../operation/identity.ts';
import { work } from '../../../operation/operation.ts';
import { callOf } from '../../../store/calls.ts';
import { collisionSchema } from './collision.ts';
import type { Collisions } from './collisions.ts';

const listCollisions = work({
  scope: 'board:read',
  effect: 'read',
  refusals: [],
  name: 'list_collisions',
  summary: 'Branches of open tasks and of runs that do not go together, with the files and who was first.',
  input: { project: nameField().optional() },
  output: z.object({ collisions: z.array(collisionSchema) }),
  route: 'GET /api/collisions',
  run: async (collisions: Collisions, { project }, context) => ({
    collisions: await collisions.list(callOf(context, 'list_collisions'), project),
  }),
});

export const collisionOperations = [listCollisions] as const;
