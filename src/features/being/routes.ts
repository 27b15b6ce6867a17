// `/v1/beings`: everything about Beings that is not said to one of them.
import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { byRoute } from '../../store/acting.ts';
import { admit, admitOperator } from './admission.ts';
import { capabilityRoutes } from './capability-routes.ts';
import { contextOf } from './context.ts';
import { mapRoutes } from './map-routes.ts';
import { memoryRoutes } from './memory-routes.ts';
import { patrolRoutes } from './patrol-routes.ts';
import { answered, idParams, type BeingRouteParts, label, shared } from './route-parts.ts';
import { docsOf } from './rows/docs.ts';
import { SOUL_FIELDS, THOUGHTS } from './rules.ts';
import { tokenRoutes } from './token-routes.ts';
import { recordSchema } from './record.ts';
import { exportBeing, importBeing, importRecords } from './transfer.ts';

const soul = z.object(
  Object.fromEntries(SOUL_FIELDS.map((field) => [field, z.string().min(1).max(16_000).optional()])),
);
const being = z.object({
  id: z.string(),
  owner: z.string(),
  name: z.string(),
  hasLlmKey: z.boolean(),
  createdAt: z.int(),
  updatedAt: z.int(),
});

/** `/v1/beings`: everything about Beings that is not said to one of them. */
export function beingRoutes(parts: BeingRouteParts): readonly Route[] {
  return [
    ...lifeRoutes(parts),
    ...tokenRoutes(parts),
    ...transferRoutes(parts),
    ...memoryRoutes(parts),
    ...patrolRoutes(parts),
    ...mapRoutes(parts),
    ...capabilityRoutes(parts),
  ];
}

function lifeRoutes({ acting, beings, oauth }: BeingRouteParts): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings',
      scope: 'being:admin',
      summary:
        'Make a Being, with a token of full scope. The answer is the only place where it is ever shown.',
      refusals: ['unauthorized', 'conflict', 'limited'],
      body: z.object({ name: label, owner: label.optional(), soul: soul.optional() }),
      status: 201,
      response: z.object({ ok: z.literal(true), being, token: z.string() }),
      handler: async ({ body }, { who }) => {
        admitOperator(who);
        return acting.change(byRoute(who, 'beings'), async (tx) => {
          const made = await beings.create(tx, body);
          const { text } = await oauth.createToken(tx, { being: made.id, scope: 'full' });
          return { ok: true as const, being: made, token: text };
        });
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings',
      scope: 'being:admin',
      summary: 'List the Beings of this hub.',
      response: z.object({ ok: z.literal(true), beings: z.array(being) }),
      handler: async (_input, { who }) => {
        admitOperator(who);
        const list = await acting.look(byRoute(who, 'beings'), (q) => beings.list(q));
        return { ok: true as const, beings: [...list] };
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id',
      scope: 'being:read',
      summary: 'Show a Being: what it holds, in numbers.',
      params: idParams,
      response: answered,
      handler: async ({ params }, { who }) => {
        const id = admit(who, params.id);
        return {
          ok: true as const,
          being: await acting.look(byRoute(who, 'beings'), (q) => beings.show(q, id)),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: '/v1/beings/:id',
      scope: 'being:admin',
      summary: 'Delete a Being and everything it remembers: text, index, vectors, tokens.',
      params: idParams,
      response: answered,
      handler: async ({ params }, { who }) => {
        admitOperator(who);
        await acting.change(byRoute(who, 'beings'), (tx) => beings.remove(tx, params.id));
        return { ok: true as const, id: params.id };
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id/soul',
      scope: 'being:read',
      summary: 'Read the soul: the fields that make the persona.',
      params: idParams,
      response: answered,
      handler: async ({ params }, { who }) => {
        const id = admit(who, params.id);
        return acting.look(byRoute(who, 'soul'), async (q) => {
          const { name } = await beings.show(q, id);
          const docs = (await docsOf(q, id, 'soul')).filter(({ key }) => key !== THOUGHTS);
          return {
            ok: true as const,
            name,
            soul: Object.fromEntries(docs.map(({ key, content }) => [key, content])),
          };
        });
      },
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      path: '/v1/beings/:id/soul',
      scope: 'being:write',
      summary: 'Set fields of the soul; those that are not named stay.',
      params: idParams,
      body: soul,
      response: answered,
      handler: async ({ params, body }, { who }) => {
        const id = admit(who, params.id);
        await acting.change(byRoute(who, 'soul'), (tx) => beings.setSoul(tx, id, body));
        return { ok: true as const };
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id/context',
      scope: 'being:read',
      summary: 'The same as get_context. Hands out waiting party messages.',
      changes: true,
      params: idParams,
      response: answered,
      handler: async ({ params }, { who }) => {
        const id = admit(who, params.id);
        return {
          ok: true as const,
          ...(await acting.change(byRoute(who, 'context'), (tx) => contextOf(tx, id))),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      path: '/v1/beings/:id/llm-key',
      scope: 'being:admin',
      summary: 'Keep the key of a language model for this Being, sealed. It is never shown again.',
      params: idParams,
      body: z.object({
        key: z.string().regex(/^[\x21-\x7e]{8,512}$/, 'must be a key of printable characters'),
      }),
      response: answered,
      handler: async ({ params, body }, { who }) => {
        admitOperator(who);
        await acting.change(byRoute(who, 'llm-key'), (tx) => beings.setKey(tx, params.id, body.key));
        return { ok: true as const };
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: '/v1/beings/:id/llm-key',
      scope: 'being:admin',
      summary: 'Forget the key of a language model.',
      params: idParams,
      response: answered,
      handler: async ({ params }, { who }) => {
        admitOperator(who);
        await acting.change(byRoute(who, 'llm-key'), (tx) => beings.setKey(tx, params.id, null));
        return { ok: true as const };
      },
    }),
  ];
}

const records = z.array(recordSchema).min(1).max(2_000);

function transferRoutes(parts: BeingRouteParts): readonly Route[] {
  const { acting } = parts;
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id/export',
      scope: 'being:admin',
      summary:
        'Everything a Being is and remembers, as records. The secrets of partner_tools are in it as they are.',
      params: idParams,
      response: answered,
      handler: async ({ params }, { who }) => {
        admitOperator(who);
        const all = await acting.look(byRoute(who, 'export'), (q) => exportBeing(parts, q, params.id));
        return { ok: true as const, format: 'holdfast-being-1', records: all };
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings/import',
      scope: 'being:admin',
      summary: 'Make a Being from the first records of an export; the others follow under its id.',
      refusals: ['unauthorized', 'conflict', 'too_large'],
      body: z.object({ records }),
      status: 201,
      response: answered,
      handler: async ({ body }, { who }) => {
        admitOperator(who);
        const id = await acting.change(byRoute(who, 'import'), (tx) => importBeing(parts, tx, body.records));
        return { ok: true as const, id };
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings/:id/import',
      scope: 'being:admin',
      summary: 'Further records of an export.',
      params: idParams,
      body: z.object({ records }),
      response: answered,
      handler: async ({ params, body }, { who }) => {
        admitOperator(who);
        await acting.change(byRoute(who, 'import'), (tx) =>
          importRecords(parts, tx, params.id, body.records),
        );
        return { ok: true as const };
      },
    }),
  ];
}
