// `/api/tools` for persons: what waits for them, their answers, and the grants that came of these.
import { z } from 'zod';
import { defineRoute, flagText, integerText, type Route } from '../../http/route.ts';
import { HubError } from '../../kernel/errors.ts';
import { redact } from '../../kernel/redact.ts';
import type { Database } from '../../store/database.ts';
import { findApproval, noteOfDecision } from './ask/approvals.ts';
import type { Broker } from './broker.ts';
import { callerOf } from './caller.ts';
import { WIDER } from './ask/grants.ts';
import { listPendingApprovals } from './rows/approvals.ts';
import { listGrants } from './rows/grants.ts';
import { approvalView, grantView, OK, toApprovalView, toGrantView, toMaskedApproval } from './views.ts';

const tag = 'tools';
const decisions = z.enum(['allow_once', 'allow_always', 'deny']);
const DAY = 86_400_000;
const grantTtlMs = z
  .int()
  .min(1_000)
  .max(3_650 * DAY)
  .optional()
  .describe('How long the grant of an allow_always lives; 30 days unless given.');
const covers = z
  .union([
    z.enum(['shape', 'exact']),
    z.strictObject({ offer: z.string().min(1).max(200) }),
    z.strictObject({ open: z.array(z.string().min(1).max(200)).min(1).max(20) }),
  ])
  .optional()
  .describe(
    'What the grant of an allow_always covers: these arguments alone unless given, the shape that was shown, or what /offers lists.',
  );
const wider = z
  .array(z.enum(WIDER))
  .max(WIDER.length)
  .optional()
  .describe(
    'How far the grant of an allow_always reaches for a client of this machine: it holds for that client in that project; every_client and every_project widen it.',
  );
const note = z
  .string()
  .trim()
  .min(1)
  .max(500)
  .optional()
  .describe('A word about the decision, for the audit; after a deny the caller is told it.');
const pageQuery = {
  limit: integerText(z.int().min(1).max(1_000)).optional(),
  cursor: z.string().min(1).max(100).optional(),
};

export function approvalRoutes(db: Database, broker: Broker): Route[] {
  const resolveBody = z.object({ decision: decisions, grantTtlMs, covers, wider, note });
  return [
    defineRoute({
      method: 'GET',
      path: '/api/tools/approvals',
      summary: 'Pending approvals, newest first.',
      tag,
      scope: 'tools:read',
      query: z.object(pageQuery),
      response: z.object({
        ok: z.literal(true),
        approvals: z.array(approvalView),
        nextCursor: z.string().nullable(),
      }),
      async handler({ query: { limit = 1_000, cursor } }, { who }) {
        const page = { before: cursor ?? null, limit: limit + 1, team: who.bound.team };
        const rows = await db.read((q) => listPendingApprovals(q, db.now(), page));
        const shown = rows.slice(0, limit);
        return {
          ...OK,
          approvals: shown.map(toMaskedApproval),
          nextCursor: rows.length > limit ? shown.at(-1)!.id : null,
        };
      },
    }),
    defineRoute({
      method: 'GET',
      path: '/api/tools/approvals/:id',
      summary: 'One approval, decided or not, and the word that came with the decision.',
      tag,
      scope: 'tools:read',
      params: z.object({
        id: z.string().min(1).max(100).describe('Its id, or the eight characters it ends in.'),
      }),
      refusals: ['not_found'],
      response: z.object({ ok: z.literal(true), approval: approvalView, note: z.string().nullable() }),
      handler: ({ params }, { who }) =>
        db.read(async (q) => {
          const approval = await findApproval(q, { id: params.id, team: who.bound.team, now: db.now() });
          const said = approval.resolvedAt === null ? undefined : await noteOfDecision(q, approval);
          return { ...OK, approval: toMaskedApproval(approval), note: said ?? null };
        }),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/tools/approvals/:id/resolve',
      summary: 'Allow or deny a pending call.',
      tag,
      scope: 'tools:approve',
      params: z.object({ id: z.string().min(1).max(2_000) }),
      body: z.unknown(),
      refusals: ['not_found'],
      response: z.object({ ok: z.literal(true), approval: approvalView }),
      async handler({ params, body }, { who }) {
        const approval = await broker.resolve(who, { id: params.id, ...parseBody(resolveBody, body) });
        return { ...OK, approval: toApprovalView(approval) };
      },
    }),
    defineRoute({
      method: 'POST',
      path: '/api/tools/approvals/resolve',
      summary: 'Allow or deny several pending calls at once.',
      tag,
      scope: 'tools:approve',
      body: z.unknown(),
      response: z.object({
        ok: z.literal(true),
        approvals: z.array(approvalView),
        notFound: z.array(z.string()),
      }),
      async handler({ body }, { who }) {
        const { ids, ...decision } = parseBody(
          resolveBody.extend({ ids: z.array(z.string().min(1).max(100)).min(1).max(200) }),
          body,
        );
        const { approvals, notFound } = await broker.resolveAll(who, ids, decision);
        return { ...OK, approvals: approvals.map(toApprovalView), notFound: notFound.map(redact) };
      },
    }),
  ];
}

/** The documented refusal of a bad body: its text, and zod's own flat list of what is wrong. */
function parseBody<S extends z.ZodType>(schema: S, body: unknown): z.output<S> {
  const parsed = schema.safeParse(body);
  if (parsed.success) return parsed.data;
  throw new HubError('invalid', 'invalid body', {
    ...z.flattenError(parsed.error),
    hint: 'decision is one of allow_once, allow_always, deny.',
  });
}

export function grantRoutes(db: Database, broker: Broker): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/api/tools/grants',
      summary: 'What was allowed for always, and how often it was used.',
      tag,
      scope: 'tools:read',
      query: z.object({ all: flagText().optional() }),
      response: z.object({ ok: z.literal(true), grants: z.array(grantView) }),
      async handler({ query }, { who }) {
        const principal = who.bound.team === undefined ? undefined : callerOf(who).principal;
        const grants = await db.read((q) =>
          listGrants(q, { living: query.all !== true, now: db.now(), principal }),
        );
        return { ...OK, grants: grants.map(toGrantView) };
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: '/api/tools/grants/:id',
      summary: 'Revoke a grant.',
      tag,
      scope: 'tools:approve',
      params: z.object({ id: z.string().min(1).max(100) }),
      refusals: ['not_found'],
      response: z.object({ ok: z.literal(true), grant: grantView }),
      handler: async ({ params }, { who }) => ({
        ...OK,
        grant: toGrantView(await broker.revoke(who, params.id)),
      }),
    }),
  ];
}
