// `/v1/beings/:id/patrol` and what bridges can do for a Being.
import { z } from 'zod';
import { change, look, work } from '../../../operation/operation.ts';
import { actorFor } from '../../../store/acting.ts';
import type { Beings, BeingsDesk, BeingsView } from '../being.ts';
import { DEFAULT_TTL, registerCapabilities, removeCapability } from '../capabilities.ts';
import { patrolAnswer } from '../patrol/patrol.ts';
import { answered, id, ok, reads, writes } from './shapes.ts';
import { patrolShape, uuid } from '../shapes.ts';
import { showCapabilities, showPatrols } from '../view.ts';

const MAX_TTL = 3_600;
const counts = z.record(z.string(), z.number());
const step = { step: z.string(), outcome: z.string() };

const capability = {
  type: z.enum(['act', 'sense']),
  name: z.string().regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be letters, digits, dots, dashes or underscores'),
  description: z.string().max(1_000),
};
const online = answered({
  capabilities: z.array(
    z.object({ id: z.string(), bridge: z.string(), ...capability, onlineUntil: z.int() }),
  ),
});

export const patrolOperations = [
  work({
    ...writes,
    effect: 'state',
    name: 'beings_patrol',
    summary: 'Run a patrol now, or with dryRun say what it would do.',
    refusals: ['unauthorized', 'not_found', 'busy'],
    input: {
      id,
      ...patrolShape,
      messages: patrolShape.messages.optional(),
      dryRun: z.boolean().optional(),
    },
    output: z.looseObject({
      ok: z.literal(true),
      scenes_created: z.int(),
      nodes_created: z.int(),
      steps: z.array(z.object({ ...step, why: z.string().optional() })).readonly(),
    }),
    route: 'POST /v1/beings/:id/patrol',
    async run(beings: Beings, { id: which, messages = [], marker_id, dryRun = false }, call) {
      const { being } = beings.reach(call, which);
      const request = { messages, markerId: marker_id, isDry: dryRun, actor: actorFor(call.who) };
      const report = await beings.patrol.trigger(being, { ...request, signal: call.signal });
      return ok({ ...patrolAnswer(report), ...(dryRun && { dryRun }) });
    },
  }),
  look({
    ...reads,
    name: 'beings_patrols',
    summary: 'The latest patrols with their steps, and whether one is running.',
    input: { id },
    output: answered({
      marker: z.string().nullable(),
      unfinished: z.boolean(),
      runs: z.array(
        z.object({
          id: z.string(),
          state: z.string(),
          startedAt: z.int(),
          endedAt: z.int().nullable(),
          stats: counts,
          steps: z.array(z.looseObject(step)),
        }),
      ),
    }),
    route: 'GET /v1/beings/:id/patrol',
    run: async (beings: BeingsView, { id: which }) => ok(await showPatrols(beings.one(which))),
  }),
  change({
    ...writes,
    name: 'beings_register_capabilities',
    summary:
      'Register what a bridge can do, or say that it is still there. Acts show in get_context while it is.',
    input: {
      id,
      bridge: z.string().trim().min(1).max(100).describe('The name of the bridge.'),
      capabilities: z.array(z.object(capability)).min(1).max(100),
      ttlSeconds: z
        .int()
        .min(1)
        .max(MAX_TTL)
        .optional()
        .describe(`How long it counts as online; ${DEFAULT_TTL} unless given.`),
    },
    output: online,
    route: 'POST /v1/beings/:id/capabilities',
    status: 201,
    run: async (beings: BeingsDesk, { id: which, ...registration }) =>
      ok({ capabilities: await registerCapabilities(beings.one(which), registration) }),
  }),
  look({
    ...reads,
    name: 'beings_capabilities',
    summary: 'What bridges that are online can do.',
    input: { id },
    output: online,
    route: 'GET /v1/beings/:id/capabilities',
    run: async (beings: BeingsView, { id: which }) =>
      ok({ capabilities: await showCapabilities(beings.one(which), beings.now) }),
  }),
  change({
    ...writes,
    name: 'beings_remove_capability',
    summary: 'Take a capability back.',
    input: { id, capabilityId: uuid },
    output: answered({}),
    route: 'DELETE /v1/beings/:id/capabilities/:capabilityId',
    async run(beings: BeingsDesk, { id: which, capabilityId }) {
      await removeCapability(beings.one(which), capabilityId);
      return ok({});
    },
  }),
] as const;
