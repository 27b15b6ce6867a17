// How the days went, over REST.
import { z } from 'zod';
import { nameField } from '../../operation/identity.ts';
import { work } from '../../operation/operation.ts';
import { callOf } from '../../store/calls.ts';
import type { PulseService } from './pulse.ts';
import { pulseSchema } from './shapes.ts';

const MOST_DAYS = 90;
const FARTHEST_MIN = 14 * 60;

const readPulse = work({
  name: 'pulse',
  summary: 'How the days went: work, cost, waiting, calls, memory and landings, counted by day.',
  scope: 'hub:read',
  effect: 'read',
  refusals: ['forbidden'],
  input: {
    days: z.coerce.number().int().min(1).max(MOST_DAYS).optional().describe('14 unless given.'),
    offset: z.coerce
      .number()
      .int()
      .min(-FARTHEST_MIN)
      .max(FARTHEST_MIN)
      .optional()
      .describe('Minutes that your clock is ahead of UTC: days are yours.'),
    project: nameField().optional(),
  },
  output: pulseSchema,
  route: 'GET /api/pulse',
  run: (pulse: PulseService, { days = 14, offset = 0, project }, context) =>
    pulse.read(callOf(context, 'pulse'), { days, offsetMin: offset, team: project }),
});

export const pulseOperations = [readPulse] as const;
