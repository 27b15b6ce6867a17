// What a Being remembers, as a map and as papers: for the person who looks at it. Looking keeps nothing alive.
import { z } from 'zod';
import { defineRoute, type Route } from '../../http/route.ts';
import { byRoute } from '../../store/acting.ts';
import { admit } from './admission.ts';
import { isSealedTarget } from './documents.ts';
import { requireBeing } from './parts.ts';
import { type BeingRouteParts, idParams, shared } from './route-parts.ts';
import { clustersOf } from './rows/clusters.ts';
import { pastOf } from './rows/past.ts';
import { docsOf } from './rows/docs.ts';
import { type Node, nodesToShow } from './rows/nodes.ts';
import { effectiveImportance, LIMITS, THRESHOLDS } from './rules.ts';

const MOST_NODES = 2_000;

const mapSchema = z.object({
  ok: z.literal(true),
  dyingAt: z.number().describe('Strength at which a memory begins to die.'),
  clusters: z.array(
    z.object({ id: z.string(), name: z.string(), digest: z.string(), parentId: z.string().nullable() }),
  ),
  nodes: z.array(
    z.object({
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
    }),
  ),
  left: z.boolean().describe('There are more memories than are shown.'),
});
export type BeingMap = z.infer<typeof mapSchema>;

const documentsSchema = z.object({
  ok: z.literal(true),
  documents: z.array(
    z.object({
      target: z.string(),
      key: z.string(),
      content: z.string().nullable().describe('Null for what is sealed.'),
      updatedAt: z.int(),
    }),
  ),
});
const MOST_PAST = 200;

const historySchema = z.object({
  ok: z.literal(true),
  entries: z.array(
    z.object({
      target: z.string(),
      key: z.string(),
      content: z.string().nullable().describe('Null where it is sealed for the partner of the Being.'),
      location: z.string().nullable(),
      replacedAt: z.int(),
    }),
  ),
});

export type BeingDocuments = z.infer<typeof documentsSchema>;

export function mapRoutes({ acting }: BeingRouteParts): readonly Route[] {
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id/memory/map',
      scope: 'being:read',
      summary: 'Clusters and memories with what is left of each. Looking here keeps nothing alive.',
      params: idParams,
      response: mapSchema,
      handler: async ({ params }, { who }) => {
        const id = admit(who, params.id);
        return acting.look(byRoute(who, 'memory'), async (q) => {
          await requireBeing(q, id);
          const clusters = await clustersOf(q, id);
          const nodes = await nodesToShow(q, id, MOST_NODES + 1);
          return {
            ok: true as const,
            dyingAt: THRESHOLDS.dying,
            clusters: clusters.map(({ id: cluster, name, digest, parent_id: parentId }) => ({
              id: cluster,
              name,
              digest,
              parentId,
            })),
            nodes: nodes.slice(0, MOST_NODES).map(onMap),
            left: nodes.length > MOST_NODES,
          };
        });
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id/documents',
      scope: 'being:read',
      summary: 'What a Being has written down: preferences, knowledge, people, places, rules, diary.',
      params: idParams,
      response: documentsSchema,
      handler: async ({ params }, { who }) => {
        const id = admit(who, params.id);
        return acting.look(byRoute(who, 'documents'), async (q) => {
          await requireBeing(q, id);
          const documents = (await docsOf(q, id))
            .filter(({ target }) => target !== 'soul')
            .map(({ target, key, content, meta, updated_at: updatedAt }) => ({
              target,
              key: titleOf(meta) ?? key,
              // Sealed for its partner alone: that it is there may be known, what it says may not.
              content: isSealedTarget(target) ? null : content.slice(0, LIMITS.answer),
              updatedAt,
            }));
          return { ok: true as const, documents };
        });
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/beings/:id/documents/history',
      scope: 'being:read',
      summary: 'What documents and relations of a Being said before they were replaced, newest first.',
      params: idParams,
      query: z.object({
        target: z.string().min(1).max(100).optional(),
        key: z.string().min(1).max(LIMITS.name).optional(),
      }),
      response: historySchema,
      handler: async ({ params, query: { target, key } }, { who }) => {
        const id = admit(who, params.id);
        return acting.look(byRoute(who, 'documents'), async (q) => {
          await requireBeing(q, id);
          const asked = { ...(target !== undefined && { target }), ...(key !== undefined && { name: key }) };
          const entries = (await pastOf(q, id, { ...asked, limit: MOST_PAST })).map((past) => ({
            target: past.target,
            key: past.name,
            content: isSealedTarget(past.target) ? null : past.content.slice(0, LIMITS.answer).toWellFormed(),
            location: past.location,
            replacedAt: past.at,
          }));
          return { ok: true as const, entries };
        });
      },
    }),
  ];
}

const MOST_TEXT = 600;

function onMap(node: Node): BeingMap['nodes'][number] {
  const { id, clusterId, action, feeling, themes, importance, status, isPinned } = node;
  const { cycles, reactivations, lastActivated, createdAt } = node;
  return {
    id,
    clusterId,
    text: action.slice(0, MOST_TEXT).toWellFormed(),
    feeling,
    themes: [...themes],
    importance,
    strength: Math.round(effectiveImportance(node) * 1_000) / 1_000,
    status,
    isPinned,
    cycles,
    reactivations,
    lastActivated,
    createdAt,
  };
}

function titleOf(meta: string | null): string | undefined {
  const { title } = JSON.parse(meta ?? '{}') as { title?: unknown };
  return typeof title === 'string' ? title : undefined;
}
