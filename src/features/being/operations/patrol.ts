// `/v1/beings/:id/patrol` and what bridges can do for a Being.
import { z } from 'zod';
import { change, look, work } from '../../../operation/operation.ts';
import { actorFor } from '../../../store/calls.ts';
import type { Beings, BeingsDesk, BeingsView } from '../being.ts';
import { patrolAnswer } from '../patrol/patrol.ts';
import { answered, id, ok, reads, writes } from './shapes.ts';
import { patrolShape, uuid } from '../shapes.ts';
import { showCapabilities, showPatrols } from '../view.ts';
import { newId } from '../../../kernel/ids.ts';
import { clean, requireBeing, tell } from '../parts.ts';
import { type CapabilityRow, deleteCapability, putCapability } from '../rows/messages.ts';
import type { Held } from '../rows/whose.ts';
import { notFound } from '../rules.ts';

/** A bridge that is silent for longer is not there; it registers again to stay. */
const DEFAULT_TTL = 90;
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

// What bridges can do for a Being. A bridge registers with the Being's own token, so it cannot register for another.

type BridgeRegistration = Readonly<{
  bridge: string;
  capabilities: readonly Readonly<Pick<CapabilityRow, 'type' | 'name' | 'description'>>[];
  ttlSeconds?: number | undefined;
}>;

async function registerCapabilities(self: Held, registration: BridgeRegistration) {
  const { bridge, capabilities, ttlSeconds = DEFAULT_TTL } = registration;
  const { now } = self.tx;
  await requireBeing(self);
  for (const { type, name, description } of capabilities) {
    const said = description.trim() === '' ? '' : clean(description, 'description');
    const times = { seenUntil: now + ttlSeconds * 1000, createdAt: now };
    await putCapability(self, { id: newId(), bridge, type, name, description: said, ...times });
  }
  tell(self, 'capabilities_registered', { count: capabilities.length });
  return (await showCapabilities(self, now)).filter((row) => row.bridge === bridge);
}

async function removeCapability(self: Held, id: string): Promise<void> {
  if ((await deleteCapability(self, id)) === 0) throw notFound('capability', id);
  tell(self, 'capability_removed');
}
