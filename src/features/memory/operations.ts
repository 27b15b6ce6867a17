// What one can ask of memory, by tools and routes alike: the same scopes, limits and refusals. What only people need, over
// HTTP alone, stands in `operations/people.ts`.
import { z } from 'zod';
import { work } from '../../operation/operation.ts';
import { citeSchema } from './cites/cite.ts';
import { factDetailSchema, factSchema, procedureSchema, savedSchema, searchSchema } from './fact.ts';
import * as input from './inputs.ts';
import type { Memory } from './memory.ts';
import { peopleOperations } from './operations/people.ts';

const read = { scope: 'memory:read', effect: 'read' } as const;
const write = { scope: 'memory:write', effect: 'state' } as const;

const FOUND = ['title', 'content', 'snippet'];
const WHOLE = ['title', 'content'];

const save = work({
  ...write,
  name: 'memory_save',
  summary: 'Save a fact, or a new version of a procedure',
  input: input.saveShape,
  output: savedSchema,
  tool: {
    title: 'Save to memory',
    description:
      'Saves a durable fact (title and content), or a new version of a procedure (procedureName). Facts are declarative ("the user prefers X"), not instructions. Secrets are removed.',
    carries: ['nearDuplicates.title', 'contradictions.title', 'contradictions.mine', 'contradictions.theirs'],
  },
  route: 'POST /api/memory',
  onlyRoute: ['folder'],
  status: 201,
  run: (memory: Memory, args, { who, via }) => memory.via(via).save(who, args),
});

const search = work({
  ...read,
  name: 'memory_search',
  summary: 'Search facts and procedures, best first',
  input: input.searchShape,
  output: searchSchema,
  tool: {
    title: 'Search memory',
    description:
      'Finds saved facts by a question or keywords, best first. Results cite a fact id. Search again with other words when the first answer is not enough.',
    carries: FOUND,
  },
  route: 'GET /api/memory/search',
  onlyRoute: ['folder', 'quiet'],
  run: (memory: Memory, args, { who, via }) => memory.via(via).search(who, args),
});

const searchLong = work({
  ...read,
  name: 'memory_search_long',
  summary: 'The same, for a question that is too long for an address',
  input: input.searchShape,
  output: searchSchema,
  route: 'POST /api/memory/search',
  run: search.run,
});

const browse = work({
  ...read,
  name: 'memory_browse',
  summary: 'The facts saved last, newest first',
  input: {
    limit: input.browseLimit.optional().describe('10 unless given.'),
    ...input.scope,
    before: input.id
      .optional()
      .describe('Only facts saved before this one: the id of the last fact of the page before.'),
  },
  output: z.object({ facts: z.array(factSchema) }),
  tool: {
    title: 'Browse memory',
    description: 'Lists the most recently saved facts, newest first.',
    carries: FOUND,
  },
  route: 'GET /api/memory',
  run: (memory: Memory, args, { who, via }) => memory.via(via).browse(who, args),
});

const browseAlso = work({
  ...read,
  name: 'memory_browse_also',
  summary: browse.summary,
  input: browse.input,
  output: browse.output,
  route: 'GET /api/memory/browse',
  run: browse.run,
});

const get = work({
  ...read,
  name: 'memory_get',
  summary: 'One fact with its provenance',
  input: { id: input.id.describe('Id of the fact.'), ...input.scope, folder: input.folder.optional() },
  output: factDetailSchema,
  refusals: ['not_found'],
  tool: {
    profile: 'extended',
    title: 'Get a fact',
    description:
      'Shows one fact with its provenance: who saved it, from where, since when it holds, what replaced it.',
    carries: WHOLE,
  },
  route: 'GET /api/memory/facts/:id',
  onlyRoute: ['folder'],
  run: (memory: Memory, { id, ...scope }, { who, via }) => memory.via(via).get(who, id, scope),
});

const history = work({
  ...read,
  name: 'memory_history',
  summary: 'All versions of a fact, oldest first',
  input: { id: input.id.describe('Id of any version.'), ...input.scope, folder: input.folder.optional() },
  output: z.object({ versions: z.array(factDetailSchema) }),
  refusals: ['not_found'],
  tool: {
    profile: 'extended',
    title: 'History of a fact',
    description: 'Shows all versions of a fact, oldest first.',
    carries: WHOLE,
  },
  route: 'GET /api/memory/facts/:id/history',
  onlyRoute: ['folder'],
  run: (memory: Memory, { id, ...scope }, { who, via }) => memory.via(via).history(who, id, scope),
});

const getProcedure = work({
  ...read,
  name: 'memory_get_procedure',
  summary: 'A procedure by name, newest version unless another is asked for',
  input: {
    name: input.procedureName.describe('Name of the procedure.'),
    version: z.int().min(1).optional(),
    ...input.scope,
  },
  output: z.object({ procedure: procedureSchema, versions: z.array(z.int()) }),
  refusals: ['not_found'],
  tool: {
    profile: 'extended',
    title: 'Read a procedure',
    description: 'Reads a saved procedure by name, newest version unless another is asked for.',
    carries: WHOLE,
  },
  route: 'GET /api/memory/procedures/:name',
  run: (memory: Memory, args, { who, via }) => memory.via(via).procedure(who, args),
});

const listProcedures = work({
  ...read,
  name: 'memory_list_procedures',
  summary: 'The newest version of each procedure',
  input: {
    limit: input.browseLimit.optional().describe('50 unless given.'),
    after: input.procedureName
      .optional()
      .describe('Only names after this one: the last name of the page before.'),
    ...input.scope,
  },
  output: z.object({ procedures: z.array(procedureSchema) }),
  tool: {
    profile: 'extended',
    title: 'List procedures',
    description: 'Lists the newest version of each procedure, by name.',
    carries: WHOLE,
  },
  route: 'GET /api/memory/procedures',
  run: (memory: Memory, args, { who, via }) => memory.via(via).procedures(who, args),
});

const supersede = work({
  ...write,
  name: 'memory_supersede',
  summary: 'Replace a fact that no longer holds',
  input: input.supersedeShape,
  output: z.object({ fact: factDetailSchema, superseded: factDetailSchema }),
  refusals: ['not_found', 'conflict'],
  tool: {
    profile: 'extended',
    title: 'Supersede a fact',
    description:
      'Replaces a fact that no longer holds. Searches answer the new one; the old one stays for questions about the past.',
    carries: WHOLE,
  },
  route: 'POST /api/memory/facts/:id/supersede',
  onlyRoute: ['folder'],
  run: (memory: Memory, args, { who, via }) => memory.via(via).supersede(who, args),
});

const confirm = work({
  ...write,
  name: 'memory_confirm',
  summary: 'Say that a fact or a version of a procedure still holds',
  input: {
    id: input.id.describe('Id of the fact or of the procedure version.'),
    folder: input.folder.optional(),
  },
  output: z.object({
    id: z.string(),
    confirmed: z.object({ by: z.string(), at: z.int() }),
    cites: z.array(citeSchema).optional(),
  }),
  refusals: ['not_found', 'conflict', 'forbidden'],
  tool: {
    profile: 'extended',
    title: 'Confirm a fact',
    description:
      'Says that a fact still holds, after you checked it. What it cites is taken anew from your files.',
    isRepeatable: true,
  },
  route: 'POST /api/memory/facts/:id/confirm',
  onlyRoute: ['folder'],
  run: (memory: Memory, { id, folder }, { who, via }) => memory.via(via).confirm(who, id, folder),
});

const refute = work({
  ...write,
  name: 'memory_refute',
  summary: 'Say that a fact is wrong, and why',
  input: { id: input.id.describe('Id of the fact.'), reason: input.reason },
  output: z.object({
    fact: factDetailSchema,
    told: z.int().describe('How many readers of the last two weeks hear of it.'),
    copies: z
      .array(factSchema)
      .optional()
      .describe('Facts elsewhere that say the same and that you may refute, too.'),
  }),
  refusals: ['not_found', 'conflict', 'forbidden', 'invalid'],
  tool: {
    profile: 'extended',
    title: 'Refute a fact',
    description:
      'Ends a fact that is wrong, with the reason. It stays in history, and whoever was given it lately is told.',
    carries: WHOLE,
  },
  route: 'POST /api/memory/facts/:id/refute',
  run: (memory: Memory, args, { who, via }) => memory.via(via).refute(who, args),
});

const forget = work({
  ...write,
  name: 'memory_forget',
  summary: 'Forget a fact',
  input: { id: input.id.describe('Id of the fact or of the procedure version.') },
  output: z.object({ forgotten: z.array(z.string()) }),
  tool: {
    profile: 'extended',
    title: 'Forget a fact',
    description:
      'Removes a fact and its earlier versions, or one version of a procedure, for good: text, index and vectors.',
    isDestructive: true,
  },
  run: (memory: Memory, { id }, { who, via }) => memory.via(via).forget(who, id),
});

/** The tools, documented ones first, in the order of their list. */
const TOOLS = [
  save,
  search,
  browse,
  get,
  history,
  getProcedure,
  listProcedures,
  supersede,
  forget,
  confirm,
  refute,
] as const;

export const memoryOperations = [...TOOLS, searchLong, browseAlso, ...peopleOperations] as const;
