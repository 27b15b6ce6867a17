// `/v1/beings/:id/tokens` and `/v1/beings/:id/consents`.
import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { byRoute } from '../../store/acting.ts';
import { admitOperator } from './admission.ts';
import { answered, idParams, type BeingRouteParts, label, shared } from './route-parts.ts';

/** Who may speak for a Being: its own tokens, and the clients that a person let reach it. */
export function tokenRoutes({ acting, beings, oauth }: BeingRouteParts): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings/:id/tokens',
      scope: 'being:admin',
      summary: 'Make a token of a Being. The answer is the only place where it is ever shown.',
      params: idParams,
      body: z.object({
        scope: z.enum(['full', 'read-only']).optional(),
        label: label.optional(),
        expiresAt: z.int().optional(),
      }),
      status: 201,
      response: answered,
      handler: async ({ params, body }, { who }) => {
        admitOperator(who);
        const { scope = 'full', ...rest } = body;
        return acting.change(byRoute(who, 'tokens'), async (tx) => {
          await beings.show(tx, params.id);
          const { text, token } = await oauth.createToken(tx, { being: params.id, scope, ...rest });
          return { ok: true as const, token: text, record: token };
        });
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id/tokens',
      scope: 'being:admin',
      summary: 'List the tokens of a Being without their secrets.',
      params: idParams,
      response: answered,
      handler: async ({ params }, { who }) => {
        admitOperator(who);
        return {
          ok: true as const,
          tokens: await acting.look(byRoute(who, 'tokens'), (q) => oauth.listTokens(q, params.id)),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: '/v1/beings/:id/tokens/:tokenId',
      scope: 'being:admin',
      summary: 'Revoke a token of a Being at once.',
      params: idParams.extend({ tokenId: z.string().min(1).max(100) }),
      response: answered,
      handler: async ({ params }, { who }) => {
        admitOperator(who);
        await acting.change(byRoute(who, 'tokens'), (tx) => oauth.revokeToken(tx, params.id, params.tokenId));
        return { ok: true as const };
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id/consents',
      scope: 'being:admin',
      summary: 'List the clients that a person let reach a Being, and that still can.',
      params: idParams,
      response: answered,
      handler: async ({ params }, { who }) => {
        admitOperator(who);
        return {
          ok: true as const,
          consents: await acting.look(byRoute(who, 'consents'), (q) => oauth.listConsents(q, params.id)),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'DELETE',
      path: '/v1/beings/:id/consents/:consentId',
      scope: 'being:admin',
      summary: 'Take a consent back: every token that came of it ends at once.',
      params: idParams.extend({ consentId: z.string().min(1).max(100) }),
      response: answered,
      handler: async ({ params }, { who }) => {
        admitOperator(who);
        await acting.change(byRoute(who, 'consents'), (tx) =>
          oauth.endConsent(tx, params.id, params.consentId),
        );
        return { ok: true as const };
      },
    }),
  ];
}
