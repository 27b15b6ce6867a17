import { z } from 'zod';
import { defineTool } from '../../mcp/define.ts';
import type { Tool } from '../../mcp/define.ts';
import type { Requests } from './requests.ts';
import { factDetailSchema, procedureSchema } from './fact.ts';
import * as input from './inputs.ts';
import { reading } from './annotations.ts';

export const historySchema = z.object({ versions: z.array(factDetailSchema) });
export const procedureAnswerSchema = z.object({ procedure: procedureSchema, versions: z.array(z.int()) });
export const proceduresSchema = z.object({ procedures: z.array(procedureSchema) });

/** Beyond the documented three: what was saved is read back by id or name. */
export function readingTools(requests: Requests): Tool[] {
  return [
    defineTool({
      ...reading,
      profile: 'extended',
      name: 'memory_get',
      carries: ['title', 'content'],
      title: 'Get a fact',
      description:
        'Shows one fact with its provenance: who saved it, from where, since when it holds, what replaced it.',
      input: z.object({ id: input.id.describe('Id of the fact.'), ...input.scope }),
      output: factDetailSchema,
      handler: async ({ id, ...scope }, { who }) => ({ ok: true, value: await requests.get(who, id, scope) }),
    }),
    defineTool({
      ...reading,
      profile: 'extended',
      name: 'memory_history',
      carries: ['title', 'content'],
      title: 'History of a fact',
      description: 'Shows all versions of a fact, oldest first.',
      input: z.object({ id: input.id.describe('Id of any version.'), ...input.scope }),
      output: historySchema,
      handler: async ({ id, ...scope }, { who }) => ({
        ok: true,
        value: await requests.history(who, id, scope),
      }),
    }),
    defineTool({
      ...reading,
      profile: 'extended',
      name: 'memory_get_procedure',
      carries: ['title', 'content'],
      title: 'Read a procedure',
      description: 'Reads a saved procedure by name, newest version unless another is asked for.',
      input: z.object({
        name: input.procedureName.describe('Name of the procedure.'),
        version: z.int().min(1).optional(),
        ...input.scope,
      }),
      output: procedureAnswerSchema,
      handler: async (args, { who }) => ({ ok: true, value: await requests.procedure(who, args) }),
    }),
    defineTool({
      ...reading,
      profile: 'extended',
      name: 'memory_list_procedures',
      carries: ['title', 'content'],
      title: 'List procedures',
      description: 'Lists the newest version of each procedure, by name.',
      input: z.object({
        limit: input.browseLimit.optional().describe('50 unless given.'),
        after: input.procedureName
          .optional()
          .describe('Only names after this one: the last name of the page before.'),
        ...input.scope,
      }),
      output: proceduresSchema,
      handler: async (args, { who }) => ({ ok: true, value: await requests.procedures(who, args) }),
    }),
  ];
}
