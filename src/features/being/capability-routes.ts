import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { newId } from '../../kernel/ids.ts';
import { byRoute } from '../../store/acting.ts';
import { admit } from './admission.ts';
import { clean, requireBeing, tell } from './parts.ts';
import { answered, idParams, type BeingRouteParts, shared } from './route-parts.ts';
import { capabilitiesOf, deleteCapability, putCapability } from './rows/messages.ts';
import { isUuid, notFound } from './rules.ts';

/** A bridge that is silent for longer is not there; it registers again to stay. */
const DEFAULT_TTL = 90;
const MAX_TTL = 3_600;

/** What bridges can do for a Being. A bridge registers with the Being's own token, so it cannot register for another. */
export function capabilityRoutes({ acting, db }: BeingRouteParts): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings/:id/capabilities',
      scope: 'being:write',
      summary:
        'Register what a bridge can do, or say that it is still there. Acts show in get_context while it is.',
      params: idParams,
      body: z.object({
        bridge: z.string().trim().min(1).max(100).describe('The name of the bridge.'),
        capabilities: z
          .array(
            z.object({
              type: z.enum(['act', 'sense']),
              name: z
                .string()
                .regex(/^[A-Za-z0-9_.-]{1,64}$/, 'must be letters, digits, dots, dashes or underscores'),
              description: z.string().max(1_000),
            }),
          )
          .min(1)
          .max(100),
        ttlSeconds: z
          .int()
          .min(1)
          .max(MAX_TTL)
          .optional()
          .describe(`How long it counts as online; ${DEFAULT_TTL} unless given.`),
      }),
      status: 201,
      response: answered,
      handler: async ({ params, body }, { who }) => {
        const id = admit(who, params.id);
        const { bridge, capabilities, ttlSeconds = DEFAULT_TTL } = body;
        const registered = await acting.change(byRoute(who, 'capabilities'), async (tx) => {
          await requireBeing(tx, id);
          for (const { type, name, description } of capabilities) {
            const said = description.trim() === '' ? '' : clean(description, 'description');
            const until = tx.now + ttlSeconds * 1000;
            await putCapability(tx, id, {
              id: newId(),
              bridge,
              type,
              name,
              description: said,
              seen_until: until,
              created_at: tx.now,
            });
          }
          tell(tx, id, 'capabilities_registered', { count: capabilities.length });
          return (await capabilitiesOf(tx, id, tx.now)).filter((row) => row.bridge === bridge);
        });
        return { ok: true as const, capabilities: registered.map(present) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id/capabilities',
      scope: 'being:read',
      summary: 'What bridges that are online can do.',
      params: idParams,
      response: answered,
      handler: async ({ params }, { who }) => {
        const id = admit(who, params.id);
        const rows = await acting.look(byRoute(who, 'capabilities'), async (q) =>
          capabilitiesOf(q, (await requireBeing(q, id)).id, db.now()),
        );
        return { ok: true as const, capabilities: rows.map(present) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: '/v1/beings/:id/capabilities/:capabilityId',
      scope: 'being:write',
      summary: 'Take a capability back.',
      params: idParams.extend({ capabilityId: z.string().refine(isUuid, 'must be a UUID') }),
      response: answered,
      handler: async ({ params }, { who }) => {
        const id = admit(who, params.id);
        await acting.change(byRoute(who, 'capabilities'), async (tx) => {
          if ((await deleteCapability(tx, id, params.capabilityId)) === 0)
            throw notFound('capability', params.capabilityId);
          tell(tx, id, 'capability_removed');
        });
        return { ok: true as const };
      },
    }),
  ];
}

function present({
  id,
  bridge,
  type,
  name,
  description,
  seen_until,
}: Awaited<ReturnType<typeof capabilitiesOf>>[number]) {
  return { id, bridge, type, name, description, onlineUntil: seen_until };
}
