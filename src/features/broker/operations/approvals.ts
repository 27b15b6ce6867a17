// `/api/tools` for persons: what waits for them, their answers, and the grants that came of these.
import { z } from 'zod';
import { HubError } from '../../../kernel/errors.ts';
import { redact } from '../../../kernel/redact.ts';
import { change, look, work } from '../../../operation/operation.ts';
import type { BrokerDesk } from '../ask/desk.ts';
import { WIDER } from '../ask/grants.ts';
import type { BrokerView } from '../ask/view.ts';
import type { Broker } from '../broker.ts';
import { approvalView, grantView, OK, ok } from '../schemas.ts';
import { toApprovalView, toGrantView } from '../views.ts';

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
const decision = { decision: decisions, grantTtlMs, covers, wider, note };

/** The documented refusal of a bad body: its text, and zod's own flat list of what is wrong. */
function refuseBody(error: z.ZodError): HubError {
  return new HubError('invalid', 'invalid body', {
    ...z.flattenError(error),
    hint: 'decision is one of allow_once, allow_always, deny.',
  });
}

const listApprovals = look({
  name: 'list_approvals',
  summary: 'Pending approvals, newest first.',
  scope: 'tools:read',
  input: { limit: z.int().min(1).max(1_000).optional(), cursor: z.string().min(1).max(100).optional() },
  output: z.object({ ok, approvals: z.array(approvalView), nextCursor: z.string().nullable() }),
  route: 'GET /api/tools/approvals',
  run: async (view: BrokerView, page) => ({ ...OK, ...(await view.approvals(page)) }),
});

const showApproval = look({
  name: 'show_approval',
  summary: 'One approval, decided or not, and the word that came with the decision.',
  scope: 'tools:read',
  input: { id: z.string().min(1).max(100).describe('Its id, or the eight characters it ends in.') },
  output: z.object({ ok, approval: approvalView, note: z.string().nullable() }),
  refusals: ['not_found'],
  route: 'GET /api/tools/approvals/:id',
  run: async (view: BrokerView, { id }) => ({ ...OK, ...(await view.approval(id)) }),
});

const resolveApproval = change({
  name: 'resolve_approval',
  summary: 'Allow or deny a pending call.',
  scope: 'tools:approve',
  input: { id: z.string().min(1).max(2_000), ...decision },
  output: z.object({ ok, approval: approvalView }),
  refusals: ['not_found'],
  route: 'POST /api/tools/approvals/:id/resolve',
  refuseBody,
  run: async (desk: BrokerDesk, request) => ({
    ...OK,
    approval: toApprovalView(await desk.resolve(request)),
  }),
});

const resolveApprovals = change({
  name: 'resolve_approvals',
  summary: 'Allow or deny several pending calls at once.',
  scope: 'tools:approve',
  input: { ...decision, ids: z.array(z.string().min(1).max(100)).min(1).max(200) },
  output: z.object({ ok, approvals: z.array(approvalView), notFound: z.array(z.string()) }),
  route: 'POST /api/tools/approvals/resolve',
  refuseBody,
  async run(desk: BrokerDesk, { ids, ...decided }) {
    const { approvals, notFound } = await desk.resolveAll(ids, decided);
    return { ...OK, approvals: approvals.map(toApprovalView), notFound: notFound.map(redact) };
  },
});

const coveredBy = z.union([z.enum(['exact', 'shape']), z.strictObject({ offer: z.string() })]);

const offersView = z.object({
  ok,
  looked: z.int().describe('Earlier calls of this tool by this caller that could be judged again.'),
  choices: z
    .array(
      z.object({
        covers: coveredBy.describe('What to send as `covers`.'),
        shows: z
          .record(z.string(), z.string())
          .describe('One readable value per argument; empty: these very ones.'),
        past: z.int().describe('How many of the calls looked at it would have covered.'),
      }),
    )
    .describe('From narrow to wide.'),
  open: z.array(z.string()).describe('Arguments that may be left open: send some as `covers: { open }`.'),
  differing: z
    .array(z.object({ names: z.array(z.string()), calls: z.int() }))
    .describe('Of calls that differ in such arguments alone: in which, and how many.'),
});

const listOffers = work({
  name: 'list_offers',
  summary: 'What allow_always may cover for a request, and how many calls of the past it would have covered.',
  scope: 'tools:read',
  effect: 'read',
  input: { id: z.string().min(1).max(100) },
  output: offersView,
  refusals: ['not_found'],
  route: 'GET /api/tools/approvals/:id/offers',
  async run(broker: Broker, { id }, { who }) {
    const { looked, choices, open, differing } = await broker.choicesFor(who, id);
    return {
      ...OK,
      looked,
      choices,
      open: [...open],
      differing: differing.map(({ names, calls }) => ({ names: [...names], calls })),
    };
  },
});

const touchesView = z.object({
  ok,
  files: z.array(
    z.object({
      given: z.string().describe('As the request has it.'),
      leadsTo: z
        .string()
        .describe('Where it leads, links followed: relative to the folder it works in, absolute outside.'),
      state: z
        .enum(['file', 'folder', 'other', 'missing', 'outside', 'unsure'])
        .describe('What is there; outside of the folder nothing is looked at.'),
    }),
  ),
  hosts: z.array(
    z.object({
      given: z.string().describe('As the request has it.'),
      host: z.string().nullable().describe('Null where settings say it that are not looked at.'),
      remote: z.object({ name: z.string(), isNamed: z.boolean() }).nullable(),
    }),
  ),
  hasCommand: z.boolean().describe('A program may touch more than its command names.'),
  isMore: z.boolean(),
});

const listTouches = work({
  name: 'list_touches',
  summary: 'Which files and hosts a request would touch, each where it leads.',
  scope: 'tools:approve',
  effect: 'read',
  input: { id: z.string().min(1).max(100) },
  output: touchesView,
  refusals: ['not_found'],
  route: 'GET /api/tools/approvals/:id/touches',
  async run(broker: Broker, { id }, { who }) {
    const { files, hosts, hasCommand, isMore } = await broker.touchesOf(who, id);
    return { ...OK, files: [...files], hosts: [...hosts], hasCommand, isMore };
  },
});

const listGrants = look({
  name: 'list_grants',
  summary: 'What was allowed for always, and how often it was used.',
  scope: 'tools:read',
  input: { all: z.boolean().optional() },
  output: z.object({ ok, grants: z.array(grantView) }),
  route: 'GET /api/tools/grants',
  run: async (view: BrokerView, filter) => ({ ...OK, grants: await view.grants(filter) }),
});

const revokeGrant = change({
  name: 'revoke_grant',
  summary: 'Revoke a grant.',
  scope: 'tools:approve',
  input: { id: z.string().min(1).max(100) },
  output: z.object({ ok, grant: grantView }),
  refusals: ['not_found'],
  route: 'DELETE /api/tools/grants/:id',
  run: async (desk: BrokerDesk, { id }) => ({ ...OK, grant: toGrantView(await desk.revoke(id)) }),
});

export const approvalOperations = [
  listApprovals,
  showApproval,
  resolveApproval,
  resolveApprovals,
  listOffers,
  listTouches,
  listGrants,
  revokeGrant,
] as const;
