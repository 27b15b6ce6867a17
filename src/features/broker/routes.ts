// `/api/tools`: the tools and their switches, what did not fit into answers, and the notes.
import { z } from 'zod';
import { defineRoute, flagText, integerText, type Route } from '../../http/route.ts';
import { redact } from '../../kernel/redact.ts';
import type { Database } from '../../store/database.ts';
import { approvalRoutes, grantRoutes } from './approval-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import type { Broker } from './broker.ts';
import { callerOf } from './caller.ts';
import { policyRoutes } from './policy-routes.ts';
import { offerRoutes } from './offer-routes.ts';
import { listNotes } from './rows/notes.ts';
import { OK } from './views.ts';
import { riskOf } from './world-tool.ts';

const tag = 'tools';
const pageQuery = {
  limit: integerText(z.int().min(1).max(1_000)).optional(),
  cursor: z.string().min(1).max(100).optional(),
};

export function brokerRoutes({ db, broker }: { db: Database; broker: Broker }): readonly Route[] {
  const routes = [
    toolRoutes(broker, db),
    approvalRoutes(db, broker),
    offerRoutes(db, broker),
    grantRoutes(db, broker),
    auditRoutes(db),
    policyRoutes(db, broker),
  ];
  return routes.flat();
}

/** The documented list shows the builtins; `all=true` adds every other tool behind the broker. */
function toolRoutes(broker: Broker, db: Database): Route[] {
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
    defineRoute({
      method: 'GET',
      path: '/api/tools/notes',
      summary: 'Notes that agents stored with the note tool, newest first.',
      tag,
      scope: 'tools:read',
      query: z.object(pageQuery),
      response: z.object({
        ok: z.literal(true),
        notes: z.array(
          z.object({ id: z.string(), note: z.string(), agentId: z.string().nullable(), createdAt: z.int() }),
        ),
        nextCursor: z.string().nullable(),
      }),
      async handler({ query: { limit = 100, cursor } }, { who }) {
        const of = who.bound.team === undefined ? undefined : callerOf(who);
        const rows = await db.read((q) => listNotes(q, { before: cursor ?? null, limit: limit + 1, of }));
        const notes = rows.slice(0, limit).map((row) => ({ ...row, note: redact(row.note) }));
        return { ...OK, notes, nextCursor: rows.length > limit ? notes.at(-1)!.id : null };
      },
    }),
  ];
}
