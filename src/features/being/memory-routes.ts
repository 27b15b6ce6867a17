// `/v1/beings/:id/memory`: what the tools do, for programs that speak no MCP.
import { randomInt } from 'node:crypto';
import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { byRoute } from '../../store/acting.ts';
import { admit } from './admission.ts';
import { updateMemory } from './documents.ts';
import { addMessages } from './history.ts';
import { exploreMemory, mergeNodes, recallFor, searchMemory } from './memories.ts';
import { undoMerge } from './merging.ts';
import { requireBeing, tell } from './parts.ts';
import { answered, idParams, type BeingRouteParts, shared } from './route-parts.ts';
import { clusterSizes, clustersOf } from './rows/clusters.ts';
import { setPinned } from './rows/nodes.ts';
import { lastMerges } from './rows/runs.ts';
import { ACTIONS, isUuid, LIMITS, notFound, TARGETS } from './rules.ts';

const question = z.string().min(1).max(8_000);
const uuid = z.string().refine(isUuid, 'must be a UUID');
const MERGES = 50;

/** `/v1/beings/:id/memory`: what the tools do, for programs that speak no MCP. */
export function memoryRoutes(parts: BeingRouteParts): readonly Route[] {
  const { acting, recalling } = parts;
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id/memory',
      scope: 'being:read',
      summary: 'The clusters of a Being with their digests and sizes. Looking here keeps nothing alive.',
      params: idParams,
      response: answered,
      handler: async ({ params }, { who }) => {
        const id = admit(who, params.id);
        return acting.look(byRoute(who, 'memory'), async (q) => {
          await requireBeing(q, id);
          const sizes = new Map((await clusterSizes(q, id)).map((size) => [size.id, size]));
          const clusters = (await clustersOf(q, id)).map(({ id: cluster, name, digest, parent_id }) => ({
            id: cluster,
            name,
            digest,
            parentId: parent_id,
            active: sizes.get(cluster)?.active ?? 0,
            total: sizes.get(cluster)?.total ?? 0,
          }));
          return { ok: true as const, clusters };
        });
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings/:id/memory/recall',
      scope: 'being:read',
      summary: 'The same as the tool recall.',
      params: idParams,
      body: z.object({ user_message: z.string().min(1).max(200_000) }),
      response: answered,
      handler: async ({ params, body }, { who }) => {
        const id = admit(who, params.id);
        return {
          ok: true as const,
          text: await recallFor(parts, byRoute(who, 'recall'), id, {
            message: body.user_message,
            pick: randomInt,
          }),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings/:id/memory/search',
      scope: 'being:read',
      summary: 'The same as the tool search_memory.',
      params: idParams,
      body: z.object({
        query: question,
        limit: z.int().min(1).max(30).optional(),
        mode: z.enum(['or', 'and']).optional(),
      }),
      response: answered,
      handler: async ({ params, body: { query, limit = 10, mode = 'or' } }, { who }) => {
        const id = admit(who, params.id);
        return {
          ok: true as const,
          text: await searchMemory(parts, byRoute(who, 'search'), id, { query, limit, mode }),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings/:id/memory/explore',
      scope: 'being:read',
      summary: 'The same as the tool recall_memory.',
      params: idParams,
      body: z.object({
        cluster_id: uuid.optional(),
        node_id: uuid.optional(),
        limit: z.int().min(1).max(500).optional(),
        query: z.string().max(500).optional(),
        no_nodes: z.boolean().optional(),
      }),
      response: answered,
      handler: async ({ params, body: { limit = 5, ...rest } }, { who }) => {
        const id = admit(who, params.id);
        return {
          ok: true as const,
          text: await exploreMemory(parts, byRoute(who, 'explore'), id, { ...rest, limit }),
        };
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings/:id/memory/update',
      scope: 'being:write',
      summary: 'The same as the tool update_memory.',
      params: idParams,
      body: z.object({
        target: z.enum(TARGETS),
        action: z.enum(ACTIONS),
        content: z.string().max(LIMITS.text).optional(),
        key: z.string().max(LIMITS.name).optional(),
        location: z.string().max(1_000).optional(),
        to: z.string().max(LIMITS.name).optional(),
      }),
      response: answered,
      handler: async ({ params, body }, { who }) => {
        const id = admit(who, params.id);
        const outcome = await acting.change(byRoute(who, 'update'), async (tx) => {
          await requireBeing(tx, id);
          return updateMemory(parts, tx, id, body);
        });
        return { ok: true as const, ...outcome };
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings/:id/memory/merge',
      scope: 'being:write',
      summary: 'The same as the tool merge_nodes.',
      refusals: ['unauthorized', 'not_found', 'conflict'],
      params: idParams,
      body: z.object({
        node_ids: z.string().max(4_000),
        summary: z.string().min(1).max(4_000),
        feeling: z.string().max(2_000).optional(),
      }),
      response: answered,
      handler: async ({ params, body }, { who }) => {
        const id = admit(who, params.id);
        return { ok: true as const, text: await mergeNodes(parts, byRoute(who, 'merge'), id, body) };
      },
    }),
    defineRoute({
      ...shared,
      method: 'PUT',
      path: '/v1/beings/:id/memory/:nodeId/pinned',
      scope: 'being:write',
      summary: 'Keep a memory from fading, or let it fade again.',
      params: idParams.extend({ nodeId: uuid }),
      body: z.object({ pinned: z.boolean() }),
      response: answered,
      handler: async ({ params, body }, { who }) => {
        const id = admit(who, params.id);
        await acting.change(byRoute(who, 'pinned'), async (tx) => {
          if ((await setPinned(tx, id, params.nodeId, body.pinned)) === 0)
            throw notFound('memory', params.nodeId);
          tell(tx, id, body.pinned ? 'pinned' : 'unpinned');
        });
        return { ok: true as const };
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id/merges',
      scope: 'being:read',
      summary: 'The latest merges of memories, newest first.',
      params: idParams,
      response: answered,
      handler: async ({ params }, { who }) => {
        const id = admit(who, params.id);
        const merges = await acting.look(byRoute(who, 'merges'), (q) => lastMerges(q, id, MERGES));
        const shown = merges.map((merge) => ({
          id: merge.id,
          survivor: merge.survivor,
          absorbed: JSON.parse(merge.absorbed) as string[],
          at: merge.created_at,
          undone: merge.undone_at !== null,
        }));
        return { ok: true as const, merges: shown };
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings/:id/merges/:mergeId/undo',
      scope: 'being:write',
      summary: 'Put back what a merge took in.',
      refusals: ['unauthorized', 'not_found', 'conflict'],
      params: idParams.extend({ mergeId: uuid }),
      response: answered,
      handler: async ({ params }, { who }) => {
        const id = admit(who, params.id);
        const restored = await acting.change(byRoute(who, 'undo'), (tx) =>
          undoMerge(tx, recalling, id, params.mergeId),
        );
        return { ok: true as const, restored };
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/beings/:id/messages',
      scope: 'being:write',
      summary: 'Add messages to the history of a Being; the next patrol takes scenes from them.',
      params: idParams,
      body: z.object({
        messages: z
          .array(
            z.object({
              role: z.string().min(1).max(50),
              content: z.string().min(1).max(100_000),
              at: z.int().min(0).optional(),
            }),
          )
          .min(1)
          .max(LIMITS.messages),
      }),
      status: 201,
      response: answered,
      handler: async ({ params, body }, { who }) => {
        const id = admit(who, params.id);
        const ids = await acting.change(byRoute(who, 'messages'), async (tx) => {
          await requireBeing(tx, id);
          return addMessages(tx, id, body.messages);
        });
        return { ok: true as const, ids };
      },
    }),
  ];
}
