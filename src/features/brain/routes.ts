import { z } from 'zod';
import { defineRoute, integerText, type Route } from '../../http/route.ts';
import type { Brain } from './brain.ts';
import { signalOf } from './feedback-tools.ts';
import * as input from './inputs.ts';
import * as schema from './memory.ts';
import { MAX_CONTENT } from './rules.ts';

/** The brain over REST, for people and their tools: reading here counts nothing and opens no turn. */
const read = { tag: 'brain', scope: 'brain:read' } as const;
const write = { tag: 'brain', scope: 'brain:write' } as const;
const byId = z.object({ id: input.id });

export function brainRoutes(brain: Brain): Route[] {
  return [...memoryRoutes(brain), ...creditRoutes(brain), ...upkeepRoutes(brain)];
}

function memoryRoutes(brain: Brain): Route[] {
  return [
    defineRoute({
      ...read,
      method: 'GET',
      path: '/api/brain/memories',
      summary: 'Search memories',
      query: z.object({
        query: input.query,
        type: z.enum(schema.MEMORY_TYPES).optional(),
        limit: integerText(z.int().min(1).max(100)).optional(),
      }),
      response: schema.foundSchema,
      handler: ({ query: { query, type = null, limit = 20 } }) => brain.look({ query, type, limit }),
    }),
    defineRoute({
      ...read,
      method: 'GET',
      path: '/api/brain/memories/:id',
      summary: 'Read a memory',
      params: byId,
      response: schema.retrievedSchema,
      refusals: ['not_found', 'conflict'],
      handler: ({ params: { id } }) => brain.show(id),
    }),
    defineRoute({
      ...write,
      method: 'POST',
      path: '/api/brain/memories',
      summary: 'Store a memory',
      body: z.object(input.newMemory),
      response: schema.storedSchema,
      status: 201,
      refusals: ['conflict', 'too_large'],
      handler: ({ body }, { who }) => brain.store(who, input.toNewMemory(body)),
    }),
    defineRoute({
      ...write,
      method: 'PUT',
      path: '/api/brain/memories/:id',
      summary: 'Replace the text of a memory',
      params: byId,
      body: z.object({ content: input.content }),
      response: schema.updatedSchema,
      refusals: ['not_found', 'conflict'],
      async handler({ params: { id }, body: { content } }, { who }) {
        const { previous, contradictions } = await brain.update(who, id, content);
        return {
          id,
          updated: true as const,
          previous_updated_at: schema.toIso(previous),
          contradictions: [...contradictions],
        };
      },
    }),
    defineRoute({
      ...write,
      method: 'DELETE',
      path: '/api/brain/memories/:id',
      summary: 'Archive a memory',
      params: byId,
      response: schema.archivedSchema,
      refusals: ['not_found', 'conflict'],
      handler: async ({ params: { id } }, { who }) => ({
        id,
        archived: true as const,
        archive_path: await brain.archive(who, id),
      }),
    }),
    defineRoute({
      ...write,
      method: 'POST',
      path: '/api/brain/memories/:id/restore',
      summary: 'Bring an archived memory back',
      params: byId,
      response: schema.restoredSchema,
      refusals: ['not_found', 'conflict'],
      handler: async ({ params: { id } }, { who }) => ({
        ...(await brain.restore(who, { id })),
        restored: true as const,
      }),
    }),
  ];
}

const eventSchema = z.object({
  event_type: z.string(),
  reward: z.number(),
  old_score: z.number().nullable(),
  new_score: z.number().nullable(),
  session_id: z.string().nullable(),
  at: z.string(),
});

function creditRoutes(brain: Brain): Route[] {
  return [
    defineRoute({
      ...read,
      method: 'GET',
      path: '/api/brain/memories/:id/credit',
      summary: 'Every signal that moved the score of a memory, newest first',
      params: byId,
      response: z.object({ events: z.array(eventSchema) }),
      async handler({ params: { id } }) {
        const events = await brain.history(id, 200);
        return {
          events: events.map(({ created_at, ...event }) => ({ ...event, at: schema.toIso(created_at) })),
        };
      },
    }),
    defineRoute({
      ...write,
      method: 'POST',
      path: '/api/brain/feedback',
      summary: 'Say whether memories helped',
      body: z.object({
        outcome: input.verdict,
        ids: input.ids.optional(),
        session: z.string().min(1).max(300).optional(),
        signal: z.string().min(1).max(200).optional(),
      }),
      refusals: ['not_found'],
      response: schema.feedbackSchema,
      async handler({ body: { outcome, ids, signal, ...given } }, { who }) {
        const session = given.session ?? (ids ? undefined : await brain.latestSession());
        const key = signal === undefined ? undefined : `given:${who.id}:${signal}`;
        return brain.feedback(who, { signal: signalOf(outcome), ids, session, key });
      },
    }),
    defineRoute({
      ...read,
      method: 'GET',
      path: '/api/brain/report',
      summary: 'How the memories stand',
      query: z.object({ top_n: integerText(z.int().min(1).max(100)).optional() }),
      response: schema.reportSchema,
      handler: ({ query: { top_n = 10 } }) => brain.report(top_n),
    }),
  ];
}

function upkeepRoutes(brain: Brain): Route[] {
  return [
    defineRoute({
      ...write,
      method: 'POST',
      path: '/api/brain/compact',
      summary: 'Merge, promote and prune, or say what that would do',
      body: z.object({ dry_run: z.boolean().optional() }),
      response: schema.compactedSchema,
      handler: ({ body: { dry_run = false } }, { signal }) => brain.compact({ isDryRun: dry_run, signal }),
    }),
    defineRoute({
      ...write,
      method: 'POST',
      path: '/api/brain/import',
      summary: 'Take a markdown file as it is, under its path in the vault',
      body: z.object({ path: z.string().min(1).max(400), text: z.string().min(1).max(MAX_CONTENT) }),
      response: z.object({ id: z.string(), path: z.string() }),
      status: 201,
      refusals: ['conflict'],
      handler: ({ body: { path, text } }, { who }) => brain.adopt(who, path, text),
    }),
    defineRoute({
      ...write,
      method: 'POST',
      path: '/api/brain/undo',
      summary: 'Take back the last compaction',
      response: z.object({ undone: z.int(), details: z.array(z.string()) }),
      refusals: ['not_found'],
      async handler() {
        const { undone, details } = await brain.undo();
        return { undone, details: [...details] };
      },
    }),
    defineRoute({
      ...read,
      method: 'GET',
      path: '/api/brain/log',
      summary: 'What was done to the memories, newest first',
      query: z.object({ limit: integerText(z.int().min(1).max(500)).optional() }),
      response: z.object({
        entries: z.array(
          z.object({ action: z.string(), targets: z.array(z.string()), details: z.string(), at: z.string() }),
        ),
      }),
      async handler({ query: { limit = 100 } }) {
        const rows = await brain.log(limit);
        return {
          entries: rows.map(({ action, target_ids, details, created_at }) => ({
            action,
            targets: JSON.parse(target_ids) as string[],
            details,
            at: schema.toIso(created_at),
          })),
        };
      },
    }),
  ];
}
