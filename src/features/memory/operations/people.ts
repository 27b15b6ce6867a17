// What a person does with memory over HTTP: tidying, taking back, carrying away, counting.
import { z } from 'zod';
import { work } from '../../../operation/operation.ts';
import { citeSchema } from '../cites/cite.ts';
import { factDetailSchema, factSchema, tidingSchema } from '../fact.ts';
import * as input from '../inputs.ts';
import type { Memory } from '../memory.ts';
import { recordSchema } from '../record.ts';

const read = { scope: 'memory:read', effect: 'read' } as const;
const write = { scope: 'memory:write', effect: 'state' } as const;

const merge = work({
  ...write,
  name: 'memory_merge',
  summary: 'Let one fact take the place of several that say nearly the same',
  input: {
    id: input.id,
    with: z.array(input.id).min(1).max(20).describe('The other facts.'),
    content: input.content,
    title: input.supersedeShape.title,
    tags: input.tags.optional(),
  },
  output: z.object({ fact: factDetailSchema }),
  refusals: ['not_found', 'conflict', 'invalid'],
  route: 'POST /api/memory/facts/:id/merge',
  run: (memory: Memory, args, { who, via }) => memory.via(via).merge(who, args),
});

const duplicates = work({
  ...read,
  name: 'memory_duplicates',
  summary: 'Groups of facts that say nearly the same, of the newest 500',
  input: input.scope,
  output: z.object({ compared: z.int(), groups: z.array(z.array(factSchema)) }),
  route: 'GET /api/memory/duplicates',
  run: (memory: Memory, args, { who, via }) => memory.via(via).duplicates(who, args),
});

/** A person's: it can be taken back for a day. */
const withhold = work({
  ...write,
  name: 'memory_withhold',
  summary:
    'Forget a fact and its earlier versions, or one version of a procedure. A person can take it back for a day, unless it is to be now',
  input: { id: input.id, now: z.boolean().optional().describe('For good at once.') },
  output: z.object({
    forgotten: z.array(z.string()),
    until: z.int().optional().describe('Until then a person can take it back; absent when it is final.'),
  }),
  refusals: ['not_found'],
  route: 'DELETE /api/memory/facts/:id?now',
  run: (memory: Memory, { id, now }, { who, via }) => memory.via(via).forget(who, id, now === true),
});

const listWithheld = work({
  ...read,
  name: 'memory_list_withheld',
  summary: 'What a person forgot and may still take back: ids and times, not what it says. Persons only',
  input: {},
  output: z.object({
    withheld: z.array(
      z.object({ id: z.string(), kind: z.enum(['fact', 'procedure']), at: z.int(), until: z.int() }),
    ),
  }),
  refusals: ['forbidden'],
  route: 'GET /api/memory/withheld',
  run: (memory: Memory, _args, { who, via }) => memory.via(via).withheld(who),
});

const restore = work({
  ...write,
  name: 'memory_restore',
  summary: 'Take back a forgetting of the last day. Persons only',
  input: { id: input.id },
  output: z.object({ restored: z.array(z.string()) }),
  refusals: ['not_found', 'conflict', 'forbidden'],
  route: 'POST /api/memory/withheld/:id/restore',
  run: (memory: Memory, { id }, { who, via }) => memory.via(via).restore(who, id),
});

const exportPage = work({
  ...read,
  name: 'memory_export',
  summary: 'Everything in sight as records, a page at a time',
  input: { ...input.scope, after: z.string().max(400).optional() },
  output: z.object({ records: z.array(recordSchema), next: z.string().nullable() }),
  route: 'GET /api/memory/export',
  async run(memory: Memory, { after = '', ...scope }, { who, via }) {
    const { records, next } = await memory.via(via).exportPage(who, scope, after);
    return { records: [...records], next };
  },
});

const importRecords = work({
  ...write,
  name: 'memory_import',
  summary: 'Save many records at once',
  input: { records: z.array(recordSchema).min(1).max(500), source: input.source.default('import') },
  output: z.object({ saved: z.int(), duplicates: z.int(), declined: z.int() }),
  route: 'POST /api/memory/import',
  run: (memory: Memory, { records, source }, { who, via }) =>
    memory.via(via).importRecords(who, records, source),
});

const check = work({
  ...read,
  name: 'memory_check',
  summary: 'Everything that cites code, with how that stands in a folder, a page at a time',
  input: { ...input.scope, folder: input.folder.optional(), after: z.string().max(400).optional() },
  output: z.object({
    checked: z.array(
      z.object({
        id: z.string(),
        kind: z.enum(['fact', 'procedure']),
        title: z.string(),
        cites: z.array(citeSchema),
      }),
    ),
    next: z.string().nullable(),
  }),
  route: 'GET /api/memory/check',
  run: (memory: Memory, args, { who, via }) => memory.via(via).check(who, args),
});

/** For who comes over HTTP and does not search again; tools are told with whatever they are answered next. */
const refuted = work({
  ...read,
  name: 'memory_refuted',
  summary: 'What you were given before and has been refuted since; each is told once',
  input: {},
  output: z.object({ refuted: z.array(tidingSchema) }),
  route: 'GET /api/memory/refuted',
  run: (memory: Memory, _args, { who, via }) => memory.via(via).refuted(who),
});

const providerState = z.object({ id: z.string().nullable(), available: z.boolean() });

const provider = work({
  ...read,
  name: 'memory_provider',
  summary: 'The embedding provider in use',
  input: {},
  output: providerState,
  route: 'GET /api/memory/provider',
  run: (memory: Memory, _args, { via }) => memory.via(via).provider(),
});

const stats = work({
  ...read,
  name: 'memory_stats',
  summary: 'How much is remembered',
  input: input.scope,
  output: z.object({
    facts: z.object({
      current: z.int(),
      past: z.int(),
      oldest: z.int().nullable(),
      newest: z.int().nullable(),
    }),
    procedures: z.int(),
    vectors: z.object({ models: z.record(z.string(), z.int()), pending: z.int() }).optional(),
    toReadAgain: z.int().optional(),
    provider: providerState,
  }),
  route: 'GET /api/memory/stats',
  run: (memory: Memory, args, { who, via }) => memory.via(via).stats(who, args),
});

const embedding = work({
  ...read,
  name: 'memory_embedding',
  summary: 'How far memories are embedded, and what the rest takes',
  input: {},
  output: z.object({
    provider: providerState,
    progress: z
      .object({
        embedded: z.int(),
        left: z.int(),
        tokensLeft: z.int(),
        dims: z.int().nullable(),
        bytes: z.int(),
      })
      .optional(),
  }),
  route: 'GET /api/memory/embedding',
  run: (memory: Memory, _args, { who, via }) => memory.via(via).embedding(who),
});

export const peopleOperations = [
  merge,
  duplicates,
  withhold,
  listWithheld,
  restore,
  exportPage,
  importRecords,
  check,
  refuted,
  provider,
  stats,
  embedding,
] as const;
