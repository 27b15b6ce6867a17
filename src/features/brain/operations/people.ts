// What a person does with the markdown memory, over REST: it counts nothing and opens no turn.
import { z } from 'zod';
import { work } from '../../../operation/operation.ts';
import type { Brain } from '../brain.ts';
import * as input from '../inputs.ts';
import * as schema from '../memory.ts';
import { MAX_CONTENT } from '../rules.ts';

const read = { scope: 'brain:read', effect: 'read' } as const;
const write = { scope: 'brain:write', effect: 'state' } as const;

const look = work({
  ...read,
  name: 'memory_look',
  summary: 'Search memories',
  input: {
    query: input.query,
    type: z.enum(schema.MEMORY_TYPES).optional(),
    limit: z.int().min(1).max(100).optional(),
  },
  output: schema.foundSchema,
  route: 'GET /api/brain/memories',
  run: async (brain: Brain, { query, type = null, limit = 20 }) =>
    (await brain.open()).look({ query, type, limit }),
});

const show = work({
  ...read,
  name: 'memory_show',
  summary: 'Read a memory',
  input: { id: input.id },
  output: schema.retrievedSchema,
  refusals: ['not_found', 'conflict'],
  route: 'GET /api/brain/memories/:id',
  run: async (brain: Brain, { id }) => (await brain.open()).show(id),
});

const restoreById = work({
  ...write,
  name: 'memory_restore_id',
  summary: 'Bring an archived memory back',
  input: { id: input.id },
  output: schema.restoredSchema,
  refusals: ['not_found', 'conflict'],
  route: 'POST /api/brain/memories/:id/restore',
  run: async (brain: Brain, { id }, { who }) => ({
    ...(await (await brain.open()).restore(who, { id })),
    restored: true as const,
  }),
});

const credit = work({
  ...read,
  name: 'memory_credit',
  summary: 'Every signal that moved the score of a memory, newest first',
  input: { id: input.id },
  output: z.object({
    events: z.array(
      z.object({
        event_type: z.string(),
        reward: z.number(),
        old_score: z.number().nullable(),
        new_score: z.number().nullable(),
        session_id: z.string().nullable(),
        at: z.string(),
      }),
    ),
  }),
  route: 'GET /api/brain/memories/:id/credit',
  async run(brain: Brain, { id }) {
    const events = await (await brain.open()).history(id, 200);
    return { events: events.map(({ created_at, ...event }) => ({ ...event, at: schema.toIso(created_at) })) };
  },
});

const adopt = work({
  ...write,
  name: 'memory_import',
  summary: 'Take a markdown file as it is, under its path in the vault',
  input: { path: z.string().min(1).max(400), text: z.string().min(1).max(MAX_CONTENT) },
  output: z.object({ id: z.string(), path: z.string() }),
  refusals: ['conflict'],
  route: 'POST /api/brain/import',
  status: 201,
  run: async (brain: Brain, { path, text }, { who }) => (await brain.open()).adopt(who, path, text),
});

const undo = work({
  ...write,
  name: 'memory_undo',
  summary: 'Take back the last compaction',
  input: {},
  output: z.object({ undone: z.int(), details: z.array(z.string()) }),
  refusals: ['not_found'],
  route: 'POST /api/brain/undo',
  async run(brain: Brain) {
    const { undone, details } = await (await brain.open()).undo();
    return { undone, details: [...details] };
  },
});

const log = work({
  ...read,
  name: 'memory_log',
  summary: 'What was done to the memories, newest first',
  input: { limit: z.int().min(1).max(500).optional() },
  output: z.object({
    entries: z.array(
      z.object({ action: z.string(), targets: z.array(z.string()), details: z.string(), at: z.string() }),
    ),
  }),
  route: 'GET /api/brain/log',
  async run(brain: Brain, { limit = 100 }) {
    const rows = await (await brain.open()).log(limit);
    return {
      entries: rows.map(({ action, targets, details, at }) => ({
        action,
        targets: [...targets],
        details,
        at: schema.toIso(at),
      })),
    };
  },
});

export const peopleOperations = [look, show, restoreById, credit, adopt, undo, log] as const;
