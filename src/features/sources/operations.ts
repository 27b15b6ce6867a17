// `/api/sources`: MCP servers of others, and what a person decides on their tools.
import { z } from 'zod';
import { work } from '../../operation/operation.ts';
import type { SourceAdministration } from './administration.ts';
import { decidedView, pendingView } from './review/review.ts';
import { sourceDetail, sourceView } from './views.ts';

const OK = { ok: true } as const;
const ok = z.literal(true);
const name = z.string().min(1).max(64);
const names = z.array(z.string().min(1).max(500)).max(1_000);
const ofOne = { scope: 'tools:read', refusals: ['not_found'] } as const;
const deciding = { scope: 'tools:approve', effect: 'state' } as const;

const listSources = work({
  name: 'list_sources',
  summary: 'Every source with its state, the entries that cannot be used, and what other hubs run.',
  scope: 'tools:read',
  effect: 'read',
  input: {},
  output: z.object({
    ok,
    sources: z.array(sourceView),
    refused: z.array(z.object({ name: z.string(), problem: z.string() })),
    hubs: z.array(
      z.object({
        hub: z.string(),
        source: z.string(),
        state: z.string(),
        reason: z.string().nullable(),
        pid: z.int().nullable(),
        tools: z.int(),
        changedAt: z.int(),
      }),
    ),
  }),
  route: 'GET /api/sources',
  run: async (sources: SourceAdministration) => ({ ...OK, ...(await sources.list()) }),
});

const showSource = work({
  ...ofOne,
  name: 'show_source',
  summary: 'One source with its tools, and what is suspicious about them.',
  effect: 'read',
  input: { name },
  output: z.object({ ok, source: sourceDetail }),
  route: 'GET /api/sources/:name',
  run: async (sources: SourceAdministration, asked) => ({ ...OK, source: await sources.show(asked.name) }),
});

const putSource = work({
  name: 'put_source',
  summary: 'Add a source to config.yaml, or replace its entry.',
  scope: 'tools:admin',
  effect: 'state',
  input: {
    name,
    entry: z.record(z.string(), z.unknown()).describe('An entry of `sources:` as config.yaml has it.'),
  },
  output: z.object({ ok, source: sourceView }),
  refusals: ['unauthorized'],
  route: 'PUT /api/sources/:name {entry}',
  run: async (sources: SourceAdministration, { name: of, entry }, { who }) => ({
    ...OK,
    source: await sources.put(who, of, entry),
  }),
});

const text = z.string().min(1).max(4_000);
const texts = z.record(z.string().min(1).max(200), z.string().max(20_000).nullable());

const changeSource = work({
  name: 'change_source',
  summary: 'How a source is reached, trusted and equipped from now on; what is not said stays.',
  scope: 'tools:admin',
  effect: 'state',
  input: {
    name,
    command: z.array(text).min(1).max(200).optional().describe('In place of how it was reached.'),
    url: text.optional().describe('In place of how it was reached.'),
    trust: z.enum(['ask', 'pinned', 'all']).optional(),
    env: texts.optional().describe('Variables by their names; null takes one away.'),
    headers: texts.optional().describe('Headers by their names; null takes one away.'),
  },
  output: z.object({ ok, source: sourceView }),
  refusals: ['unauthorized', 'not_found'],
  route: 'PATCH /api/sources/:name',
  run: async (sources: SourceAdministration, { name: of, ...said }, { who }) => ({
    ...OK,
    source: await sources.change(who, of, said),
  }),
});

const removeSource = work({
  name: 'remove_source',
  summary: 'Take a source out of config.yaml, with its login and what was approved of it.',
  scope: 'tools:admin',
  effect: 'state',
  input: { name },
  output: z.object({ ok }),
  refusals: ['unauthorized', 'not_found'],
  route: 'DELETE /api/sources/:name',
  async run(sources: SourceAdministration, asked, { who }) {
    await sources.remove(who, asked.name);
    return OK;
  },
});

const switchSource = work({
  name: 'switch_source',
  summary: 'Switch a source on or off.',
  scope: 'tools:admin',
  effect: 'state',
  input: { name, enabled: z.boolean() },
  output: z.object({ ok, source: sourceView }),
  refusals: ['unauthorized', 'not_found'],
  route: 'POST /api/sources/:name/switch',
  run: async (sources: SourceAdministration, { name: of, enabled }, { who }) => ({
    ...OK,
    source: await sources.switch(who, of, enabled),
  }),
});

const testSource = work({
  ...ofOne,
  name: 'test_source',
  summary: 'Connect to a source now and say how that went.',
  effect: 'state',
  input: { name },
  output: z.object({ ok, source: sourceDetail }),
  route: 'POST /api/sources/:name/test',
  run: async (sources: SourceAdministration, asked) => ({ ...OK, source: await sources.test(asked.name) }),
});

const reviewSource = work({
  ...ofOne,
  name: 'review_source',
  summary: 'Definitions that are new or have changed, each with what was approved before.',
  effect: 'read',
  input: { name, tools: names.optional() },
  output: z.object({
    ok,
    trust: z.enum(['ask', 'pinned', 'all']),
    digest: z.string(),
    pending: z.array(pendingView),
    decided: z.array(decidedView),
  }),
  route: 'GET /api/sources/:name/review',
  run: async (sources: SourceAdministration, { name: of, tools }) => ({
    ...OK,
    ...(await sources.review(of, tools)),
  }),
});

const chosen = z.object({
  tools: names.default([]),
  digest: z.string().max(64).optional().describe('Of the review: what has changed since is not decided on.'),
});

const approveTools = work({
  ...deciding,
  name: 'approve_source_tools',
  summary: 'Approve definitions as they are now: those named, or all that wait.',
  input: { name, chosen },
  output: z.object({ ok, approved: z.array(z.string()) }),
  refusals: ['unauthorized', 'not_found', 'conflict'],
  route: 'POST /api/sources/:name/approve {chosen}',
  run: async (sources: SourceAdministration, { name: of, chosen: those }, { who }) => ({
    ...OK,
    approved: [...(await sources.approve(who, { name: of, ...those }))],
  }),
});

const rejectTools = work({
  ...deciding,
  name: 'reject_source_tools',
  summary: 'Reject definitions as they are now: hidden and refused until they change.',
  input: { name, chosen },
  output: z.object({ ok, rejected: z.array(z.string()) }),
  refusals: ['unauthorized', 'not_found', 'conflict'],
  route: 'POST /api/sources/:name/reject {chosen}',
  run: async (sources: SourceAdministration, { name: of, chosen: those }, { who }) => ({
    ...OK,
    rejected: [...(await sources.reject(who, { name: of, ...those }))],
  }),
});

const undoDecision = work({
  ...deciding,
  name: 'undo_source_decision',
  summary: 'Take back what was decided on definitions that are still the same.',
  input: { name, tools: names.min(1) },
  output: z.object({
    ok,
    undone: z.array(z.object({ tool: z.string(), was: z.enum(['approved', 'rejected']) })),
  }),
  refusals: ['unauthorized', 'not_found'],
  route: 'POST /api/sources/:name/undo',
  run: async (sources: SourceAdministration, those, { who }) => ({
    ...OK,
    undone: [...(await sources.undo(who, those))],
  }),
});

const loginToSource = work({
  name: 'login_to_source',
  summary: 'Begin a login: answers the page that a person has to visit.',
  scope: 'tools:admin',
  effect: 'state',
  input: { name },
  output: z.object({ ok, page: z.string().nullable() }),
  refusals: ['unauthorized', 'not_found', 'unavailable'],
  route: 'POST /api/sources/:name/login',
  run: async (sources: SourceAdministration, asked, { who }) => ({
    ...OK,
    page: await sources.login(who, asked.name),
  }),
});

const findSources = work({
  name: 'find_sources',
  summary: 'What the file of another client would bring: nothing is changed.',
  scope: 'tools:read',
  effect: 'read',
  input: { text: z.string().max(2_000_000), path: z.string().max(4_000).default('mcp.json') },
  output: z.object({
    ok,
    found: z.array(
      z.object({
        name: z.string(),
        entry: z.record(z.string(), z.unknown()),
        notes: z.array(z.string()),
        problem: z.string().nullable(),
      }),
    ),
  }),
  route: 'POST /api/sources/import',
  run: async (sources: SourceAdministration, file) => ({ ...OK, found: await sources.findIn(file) }),
});

export const sourceOperations = [
  listSources,
  showSource,
  putSource,
  changeSource,
  removeSource,
  switchSource,
  testSource,
  reviewSource,
  approveTools,
  rejectTools,
  undoDecision,
  loginToSource,
  findSources,
] as const;
