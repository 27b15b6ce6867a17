// `/v1/beings/:id/memory`: what the tools do, for programs that speak no MCP; and what a person sees of a memory.
import { z } from 'zod';
import { change, look, work } from '../../../operation/operation.ts';
import type { Beings, BeingsDesk, BeingsView } from '../being.ts';
import { updateMemory } from '../documents.ts';
import { addMessages } from '../history.ts';
import { pin } from '../life.ts';
import { exploreMemory, mergeNodes, recallFor, searchMemory } from '../memories.ts';
import { undoMerge } from '../merges.ts';
import { requireBeing } from '../parts.ts';
import { answered, id, ok, reads, writes } from './shapes.ts';
import { LIMITS } from '../rules.ts';
import { exploreShape, mergeShape, recallShape, searchShape, updateShape, uuid } from '../shapes.ts';
import { showClusters, showDocuments, showMap, showMerges, showPast } from '../view.ts';

const text = answered({ text: z.string() });
const cluster = {
  id: z.string(),
  name: z.string(),
  digest: z.string(),
  parentId: z.string().nullable(),
};
const node = z.object({
  id: z.string(),
  clusterId: z.string(),
  text: z.string(),
  feeling: z.string().nullable(),
  themes: z.array(z.string()),
  importance: z.number(),
  strength: z.number().describe('What is left of its importance.'),
  status: z.enum(['active', 'dying', 'dead']),
  isPinned: z.boolean(),
  cycles: z.int().describe('Patrols since it was made.'),
  reactivations: z.int().describe('How often it was called back.'),
  lastActivated: z.int(),
  createdAt: z.int(),
});

const toolOperations = [
  work({
    ...reads,
    effect: 'state',
    name: 'beings_recall',
    summary: 'The same as the tool recall.',
    input: { id, ...recallShape },
    output: text,
    route: 'POST /v1/beings/:id/memory/recall',
    run: async (beings: Beings, { id: which, user_message }, call) =>
      ok({ text: await recallFor(beings.reach(call, which), user_message) }),
  }),
  work({
    ...reads,
    effect: 'state',
    name: 'beings_search',
    summary: 'The same as the tool search_memory.',
    input: { id, ...searchShape },
    output: text,
    route: 'POST /v1/beings/:id/memory/search',
    run: async (beings: Beings, { id: which, ...request }, call) =>
      ok({ text: await searchMemory(beings.reach(call, which), request) }),
  }),
  change({
    ...reads,
    name: 'beings_explore',
    summary: 'The same as the tool recall_memory.',
    input: { id, ...exploreShape },
    output: text,
    route: 'POST /v1/beings/:id/memory/explore',
    run: async (beings: BeingsDesk, { id: which, ...request }) =>
      ok({ text: await exploreMemory(beings.one(which), request) }),
  }),
  change({
    ...writes,
    name: 'beings_update',
    summary: 'The same as the tool update_memory.',
    input: { id, ...updateShape },
    output: z.looseObject({ ok: z.literal(true) }),
    route: 'POST /v1/beings/:id/memory/update',
    async run(beings: BeingsDesk, { id: which, ...request }) {
      const self = beings.one(which);
      await requireBeing(self);
      return ok(await updateMemory(self, request));
    },
  }),
  work({
    ...writes,
    effect: 'state',
    name: 'beings_merge',
    summary: 'The same as the tool merge_nodes.',
    refusals: ['unauthorized', 'not_found', 'conflict'],
    input: { id, ...mergeShape },
    output: text,
    route: 'POST /v1/beings/:id/memory/merge',
    run: async (beings: Beings, { id: which, ...request }, call) =>
      ok({ text: await mergeNodes(beings.reach(call, which), request) }),
  }),
] as const;

const shownOperations = [
  look({
    ...reads,
    name: 'beings_clusters',
    summary: 'The clusters of a Being with their digests and sizes. Looking here keeps nothing alive.',
    input: { id },
    output: answered({ clusters: z.array(z.object({ ...cluster, active: z.int(), total: z.int() })) }),
    route: 'GET /v1/beings/:id/memory',
    run: async (beings: BeingsView, { id: which }) => ok({ clusters: await showClusters(beings.one(which)) }),
  }),
  look({
    ...reads,
    name: 'beings_map',
    summary: 'Clusters and memories with what is left of each. Looking here keeps nothing alive.',
    input: { id },
    output: answered({
      dyingAt: z.number().describe('Strength at which a memory begins to die.'),
      clusters: z.array(z.object(cluster)),
      nodes: z.array(node),
      left: z.boolean().describe('There are more memories than are shown.'),
    }),
    route: 'GET /v1/beings/:id/memory/map',
    run: async (beings: BeingsView, { id: which }) => ok(await showMap(beings.one(which))),
  }),
  look({
    ...reads,
    name: 'beings_documents',
    summary: 'What a Being has written down: preferences, knowledge, people, places, rules, diary.',
    input: { id },
    output: answered({
      documents: z.array(
        z.object({
          target: z.string(),
          key: z.string(),
          content: z.string().nullable().describe('Null for what is sealed.'),
          updatedAt: z.int(),
        }),
      ),
    }),
    route: 'GET /v1/beings/:id/documents',
    run: async (beings: BeingsView, { id: which }) =>
      ok({ documents: await showDocuments(beings.one(which)) }),
  }),
  look({
    ...reads,
    name: 'beings_past',
    summary: 'What documents and relations of a Being said before they were replaced, newest first.',
    input: {
      id,
      target: z.string().min(1).max(100).optional(),
      key: z.string().min(1).max(LIMITS.name).optional(),
    },
    output: answered({
      entries: z.array(
        z.object({
          target: z.string(),
          key: z.string(),
          content: z.string().nullable().describe('Null where it is sealed for the partner of the Being.'),
          location: z.string().nullable(),
          replacedAt: z.int(),
        }),
      ),
    }),
    route: 'GET /v1/beings/:id/documents/history',
    run: async (beings: BeingsView, { id: which, ...asked }) =>
      ok({ entries: await showPast(beings.one(which), asked) }),
  }),
  look({
    ...reads,
    name: 'beings_merges',
    summary: 'The latest merges of memories, newest first.',
    input: { id },
    output: answered({
      merges: z.array(
        z.object({
          id: z.string(),
          survivor: z.string(),
          absorbed: z.array(z.string()),
          at: z.int(),
          undone: z.boolean(),
        }),
      ),
    }),
    route: 'GET /v1/beings/:id/merges',
    run: async (beings: BeingsView, { id: which }) => ok({ merges: await showMerges(beings.one(which)) }),
  }),
] as const;

const message = z.object({
  role: z.string().min(1).max(50),
  content: z.string().min(1).max(100_000),
  at: z.int().min(0).optional(),
});

export const memoryOperations = [
  ...toolOperations,
  ...shownOperations,
  change({
    ...writes,
    name: 'beings_pin',
    summary: 'Keep a memory from fading, or let it fade again.',
    input: { id, nodeId: uuid, pinned: z.boolean() },
    output: answered({}),
    route: 'PUT /v1/beings/:id/memory/:nodeId/pinned',
    async run(beings: BeingsDesk, { id: which, nodeId, pinned }) {
      await pin(beings.one(which), nodeId, pinned);
      return ok({});
    },
  }),
  change({
    ...writes,
    name: 'beings_undo_merge',
    summary: 'Put back what a merge took in.',
    refusals: ['unauthorized', 'not_found', 'conflict'],
    input: { id, mergeId: uuid },
    output: answered({ restored: z.array(z.string()) }),
    route: 'POST /v1/beings/:id/merges/:mergeId/undo',
    run: async (beings: BeingsDesk, { id: which, mergeId }) =>
      ok({ restored: [...(await undoMerge(beings.one(which), mergeId))] }),
  }),
  change({
    ...writes,
    name: 'beings_add_messages',
    summary: 'Add messages to the history of a Being; the next patrol takes scenes from them.',
    input: { id, messages: z.array(message).min(1).max(LIMITS.messages) },
    output: answered({ ids: z.array(z.string()) }),
    route: 'POST /v1/beings/:id/messages',
    status: 201,
    async run(beings: BeingsDesk, { id: which, messages }) {
      const self = beings.one(which);
      await requireBeing(self);
      return ok({ ids: await addMessages(self, messages) });
    },
  }),
] as const;
