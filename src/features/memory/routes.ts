import { z } from 'zod';
import { defineRoute, flagText, integerText } from '../../http/route.ts';
import type { Route } from '../../http/route.ts';
import type { Requests } from './requests.ts';
import { recordSchema } from './record.ts';
import { supersededSchema, withheldSchema } from './correction-tools.ts';
import { historySchema, procedureAnswerSchema, proceduresSchema } from './reading-tools.ts';
import { factDetailSchema, factSchema, savedSchema, searchSchema } from './fact.ts';
import * as input from './inputs.ts';

/** REST for people and programs: the same requests as the tools, so the same scopes, limits and refusals. */
export function memoryRoutes(requests: Requests): Route[] {
  return [
    ...searchRoutes(requests),
    ...factRoutes(requests),
    ...procedureRoutes(requests),
    ...exchangeRoutes(requests),
    ...stateRoutes(requests),
  ];
}

const read = { tag: 'memory', scope: 'memory:read', method: 'GET' } as const;
const write = { tag: 'memory', scope: 'memory:write' } as const;
const oneFact = z.object({ id: input.id });
const scopeQuery = z.object(input.scope);

const browseQuery = z.object({
  ...input.scope,
  limit: integerText(input.browseLimit).optional(),
  before: input.id.optional(),
});
const factsAnswer = z.object({ facts: z.array(factSchema) });

function searchRoutes(requests: Requests): Route[] {
  return [
    defineRoute({
      ...read,
      path: '/api/memory/search',
      summary: 'Search facts and procedures, best first',
      query: z.object({
        ...input.scope,
        query: input.query,
        mode: input.mode.optional(),
        kind: input.kind.optional(),
        limit: integerText(input.searchLimit).optional(),
        asOf: integerText(input.instant).optional(),
        explain: flagText().optional(),
      }),
      response: searchSchema,
      handler: ({ query }, { who }) => requests.search(who, query),
    }),
    defineRoute({
      ...read,
      method: 'POST',
      path: '/api/memory/search',
      summary: 'The same, for a question that is too long for an address',
      body: z.strictObject(input.searchShape),
      response: searchSchema,
      handler: ({ body }, { who }) => requests.search(who, body),
    }),
    ...['/api/memory', '/api/memory/browse'].map((path) =>
      defineRoute({
        ...read,
        path,
        summary: 'The facts saved last, newest first',
        query: browseQuery,
        response: factsAnswer,
        handler: ({ query }, { who }) => requests.browse(who, query),
      }),
    ),
  ];
}

function factRoutes(requests: Requests): Route[] {
  return [
    defineRoute({
      ...write,
      method: 'POST',
      path: '/api/memory',
      summary: 'Save a fact, or a new version of a procedure',
      body: z.strictObject(input.saveShape),
      response: savedSchema,
      status: 201,
      handler: ({ body }, { who }) => requests.save(who, body),
    }),
    defineRoute({
      ...read,
      path: '/api/memory/facts/:id',
      summary: 'One fact with its provenance',
      params: oneFact,
      query: scopeQuery,
      response: factDetailSchema,
      refusals: ['not_found'],
      handler: ({ params, query }, { who }) => requests.get(who, params.id, query),
    }),
    defineRoute({
      ...read,
      path: '/api/memory/facts/:id/history',
      summary: 'All versions of a fact, oldest first',
      params: oneFact,
      query: scopeQuery,
      response: historySchema,
      refusals: ['not_found'],
      handler: ({ params, query }, { who }) => requests.history(who, params.id, query),
    }),
    defineRoute({
      ...write,
      method: 'POST',
      path: '/api/memory/facts/:id/supersede',
      summary: 'Replace a fact that no longer holds',
      params: oneFact,
      body: z.strictObject(input.supersedeShape).omit({ id: true }),
      response: supersededSchema,
      refusals: ['not_found', 'conflict'],
      handler: ({ params, body }, { who }) => requests.supersede(who, { ...body, id: params.id }),
    }),
    defineRoute({
      ...write,
      method: 'POST',
      path: '/api/memory/facts/:id/merge',
      summary: 'Let one fact take the place of several that say nearly the same',
      params: oneFact,
      body: z.strictObject({
        with: z.array(input.id).min(1).max(20).describe('The other facts.'),
        content: input.content,
        title: input.supersedeShape.title,
        tags: input.tags.optional(),
      }),
      response: z.object({ fact: factDetailSchema }),
      refusals: ['not_found', 'conflict', 'invalid'],
      handler: ({ params, body }, { who }) => requests.merge(who, { ...body, id: params.id }),
    }),
    defineRoute({
      ...read,
      path: '/api/memory/duplicates',
      summary: 'Groups of facts that say nearly the same, of the newest 500',
      query: scopeQuery,
      response: z.object({ compared: z.int(), groups: z.array(z.array(factSchema)) }),
      handler: ({ query }, { who }) => requests.duplicates(who, query),
    }),
    defineRoute({
      ...write,
      method: 'DELETE',
      path: '/api/memory/facts/:id',
      summary:
        'Forget a fact and its earlier versions, or one version of a procedure. A person can take it back for a day, unless it is to be now',
      params: oneFact,
      query: z.object({ now: flagText().optional().describe('For good at once.') }),
      response: withheldSchema,
      refusals: ['not_found'],
      handler: ({ params, query }, { who }) => requests.forget(who, params.id, query.now === true),
    }),
    ...personRoutes(requests),
  ];
}

function personRoutes(requests: Requests): Route[] {
  return [
    defineRoute({
      ...read,
      path: '/api/memory/withheld',
      summary: 'What a person forgot and may still take back: ids and times, not what it says. Persons only',
      response: z.object({
        withheld: z.array(
          z.object({ id: z.string(), kind: z.enum(['fact', 'procedure']), at: z.int(), until: z.int() }),
        ),
      }),
      refusals: ['forbidden'],
      handler: (_input, { who }) => requests.withheld(who),
    }),
    defineRoute({
      ...write,
      method: 'POST',
      path: '/api/memory/withheld/:id/restore',
      summary: 'Take back a forgetting of the last day. Persons only',
      params: oneFact,
      response: z.object({ restored: z.array(z.string()) }),
      refusals: ['not_found', 'conflict', 'forbidden'],
      handler: ({ params }, { who }) => requests.restore(who, params.id),
    }),
  ];
}

function procedureRoutes(requests: Requests): Route[] {
  return [
    defineRoute({
      ...read,
      path: '/api/memory/procedures',
      summary: 'The newest version of each procedure',
      query: z.object({
        ...input.scope,
        limit: integerText(input.browseLimit).optional(),
        after: input.procedureName.optional(),
      }),
      response: proceduresSchema,
      handler: ({ query }, { who }) => requests.procedures(who, query),
    }),
    defineRoute({
      ...read,
      path: '/api/memory/procedures/:name',
      summary: 'A procedure by name, newest version unless another is asked for',
      params: z.object({ name: input.procedureName }),
      query: z.object({ ...input.scope, version: integerText(z.int().min(1)).optional() }),
      response: procedureAnswerSchema,
      refusals: ['not_found'],
      handler: ({ params, query }, { who }) => requests.procedure(who, { ...params, ...query }),
    }),
  ];
}

function exchangeRoutes(requests: Requests): Route[] {
  return [
    defineRoute({
      ...read,
      path: '/api/memory/export',
      summary: 'Everything in sight as records, a page at a time',
      query: z.object({ ...input.scope, after: z.string().max(400).optional() }),
      response: z.object({ records: z.array(recordSchema), next: z.string().nullable() }),
      handler: async ({ query: { after = '', ...scope } }, { who }) => {
        const { records, next } = await requests.exportPage(who, scope, after);
        return { records: [...records], next };
      },
    }),
    defineRoute({
      ...write,
      method: 'POST',
      path: '/api/memory/import',
      summary: 'Save many records at once',
      body: z.strictObject({
        records: z.array(recordSchema).min(1).max(500),
        source: input.source.default('import'),
      }),
      response: z.object({ saved: z.int(), duplicates: z.int(), declined: z.int() }),
      handler: ({ body }, { who }) => requests.importRecords(who, body.records, body.source),
    }),
  ];
}

const providerState = z.object({ id: z.string().nullable(), available: z.boolean() });

function stateRoutes(requests: Requests): Route[] {
  return [
    defineRoute({
      ...read,
      path: '/api/memory/provider',
      summary: 'The embedding provider in use',
      response: providerState,
      handler: () => requests.provider(),
    }),
    defineRoute({
      ...read,
      path: '/api/memory/stats',
      summary: 'How much is remembered',
      query: scopeQuery,
      response: z.object({
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
      handler: ({ query }, { who }) => requests.stats(who, query),
    }),
  ];
}
