import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { byRoute, type Acting } from '../../store/acting.ts';
import type { Access } from './access.ts';
import { seatRoutes } from './seat-routes.ts';
import type { Seats } from './seats.ts';
import { requireOperator } from '../../kernel/principal.ts';
import { agentTokenSchema, newTokenSchema } from './token.ts';

const shared = { tag: 'access', scope: 'access:admin', refusals: ['unauthorized'] } as const;

/** Agent tokens over REST, for the holder of the hub token; and who is here, for everybody. */
export function accessRoutes(acting: Acting, access: Access, seats: Seats): readonly Route[] {
  return [...tokenRoutes(acting, access), ...seatRoutes(acting, seats)];
}

function tokenRoutes(acting: Acting, access: Access): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/open',
      summary: 'A link that signs one browser in, once and for two minutes: for the person who runs the hub.',
      status: 201,
      response: z.object({
        ok: z.literal(true),
        path: z.string().describe('To be opened on an address of this hub.'),
      }),
      handler: async (_input, { who }) => {
        requireOperator(who, 'Signing in');
        const link = await acting.change(byRoute(who, 'open'), (tx) => access.oauth.persons.createLink(tx));
        return { ok: true as const, path: `/signin?link=${link}` };
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/api/tokens',
      summary: 'Make an agent token. The answer is the only place where it is ever shown.',
      body: newTokenSchema,
      status: 201,
      response: z.object({
        ok: z.literal(true),
        token: z.string().describe('The credential itself.'),
        record: agentTokenSchema,
      }),
      handler: async ({ body }, { who }) => {
        requireOperator(who, 'Making a token');
        const { text, token } = await acting.change(byRoute(who, 'tokens'), (tx) =>
          access.createToken(tx, body),
        );
        return { ok: true as const, token: text, record: token };
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/api/tokens',
      summary: 'List agent tokens without their secrets.',
      response: z.object({ ok: z.literal(true), tokens: z.array(agentTokenSchema) }),
      handler: async (_input, { who }) => {
        requireOperator(who, 'Listing tokens');
        return {
          ok: true as const,
          tokens: await acting.look(byRoute(who, 'tokens'), (q) => access.listTokens(q)),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: '/api/tokens/:id',
      summary: 'Revoke an agent token at once.',
      params: z.object({ id: z.string().min(1).max(100) }),
      refusals: ['unauthorized', 'not_found'],
      response: z.object({ ok: z.literal(true), record: agentTokenSchema }),
      handler: async ({ params }, { who }) => {
        requireOperator(who, 'Revoking a token');
        return {
          ok: true as const,
          record: await acting.change(byRoute(who, 'tokens'), (tx) => access.revokeToken(tx, params.id)),
        };
      },
    }),
  ];
}
