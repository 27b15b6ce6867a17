// `/api/tools`: the tools and their switches, and what did not fit into answers.
import { z } from 'zod';
import { defineRoute, flagText, type Route } from '../../http/route.ts';
import type { Database } from '../../store/database.ts';
import { approvalRoutes, grantRoutes } from './approval-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import type { Broker } from './broker.ts';
import { callerOf } from './caller.ts';
import { policyRoutes } from './policy-routes.ts';
import { offerRoutes } from './offer-routes.ts';
import { OK } from './views.ts';
import { riskOf } from './world-tool.ts';

const tag = 'tools';
export function brokerRoutes({ db, broker }: { db: Database; broker: Broker }): readonly Route[] {
  const routes = [
    toolRoutes(broker),
    approvalRoutes(db, broker),
    offerRoutes(db, broker),
    grantRoutes(db, broker),
    auditRoutes(db),
    policyRoutes(db, broker),
  ];
  return routes.flat();
}

/** The documented list shows the builtins; `all=true` adds every other tool behind the broker. */
function toolRoutes(broker: Broker): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/tools',
      summary: 'List tools with their availability.',
      tag,
      scope: 'tools:read',
      query: z.object({ all: flagText().optional() }),
      response: z.object({
        ok: z.literal(true),
        tools: z.array(
          z.object({
            name: z.string(),
            description: z.string(),
            owner: z.enum(['core', 'plugin', 'channel', 'mcp']),
            risk: z.enum(['safe', 'destructive', 'external']),
            available: z.boolean(),
            diagnostics: z.array(z.string()),
            enabled: z.boolean(),
            source: z.string(),
          }),
        ),
      }),
      handler: async ({ query }) => ({
        ...OK,
        tools: broker
          .tools()
          .filter(({ source = 'builtin' }) => query.all === true || source === 'builtin')
          .map((tool) => {
            const { visible, diagnostics, enabled } = broker.statusOf(tool);
            const { name, description, owner = 'core', source = 'builtin' } = tool;
            return {
              name,
              description,
              owner,
              risk: riskOf(tool),
              available: visible && enabled,
              diagnostics: [...diagnostics, ...(enabled ? [] : [`disabled:${name}`])],
              enabled,
              source,
            };
          }),
      }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/tools/switches/:name',
      summary: 'Switch a tool on or off for everybody.',
      tag,
      scope: 'tools:admin',
      params: z.object({ name: z.string().min(1).max(128) }),
      body: z.object({ enabled: z.boolean() }),
      refusals: ['not_found'],
      response: z.object({ ok: z.literal(true), name: z.string(), enabled: z.boolean() }),
      async handler({ params, body }, { who }) {
        await broker.switch(who, params.name, body.enabled);
        return { ...OK, name: params.name, enabled: body.enabled };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/tools/results/:cursor',
      summary: 'The rest of an answer that was cut.',
      tag,
      scope: 'tools:read',
      params: z.object({ cursor: z.string().min(1).max(100) }),
      refusals: ['not_found'],
      response: z.object({
        ok: z.literal(true),
        text: z.string(),
        nextCursor: z.string().nullable(),
        remaining: z.int(),
      }),
      handler: async ({ params }, { who }) => ({
        ...OK,
        ...broker.leftovers.take(callerOf(who).principal, params.cursor),
      }),
    }),
  ];
}
