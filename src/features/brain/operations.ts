// What an agent can do with the markdown memory. What it reads is noted, so that the outcome of its work is credited to
// what it used. What only people need stands in `operations/people.ts`.
import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { work } from '../../operation/operation.ts';
import type { Brain } from './brain.ts';
import * as input from './inputs.ts';
import * as schema from './memory.ts';
import { peopleOperations } from './operations/people.ts';

/** Reading moves counters and turns, so it is no pure look; asking again changes nothing that matters. */
const noted = { scope: 'brain:read', effect: 'state' } as const;
const write = { scope: 'brain:write', effect: 'state' } as const;
const CARRIED = ['name', 'content', 'snippet', 'excerpt'];

const retrieve = work({
  ...noted,
  name: 'memory_retrieve',
  summary: 'Read a memory, for an agent',
  input: { id: input.id },
  output: schema.retrievedSchema,
  tool: {
    title: 'Retrieve a memory',
    description:
      'Reads one memory in full. The retrieval is noted, so that the outcome of your work is credited to it.',
    isRepeatable: true,
    carries: CARRIED,
  },
  run: async (brain: Brain, { id }, { who }) => (await brain.open()).retrieve(who, id),
});

const search = work({
  ...noted,
  name: 'memory_search',
  summary: 'Search memories, for an agent',
  input: { query: input.query, type: input.type, limit: input.limit },
  output: schema.foundSchema,
  tool: {
    title: 'Search memories',
    description:
      'Searches names (relevance 1.0), tags (0.8) and text (0.5); questions in plain words find more below that. Ordered by relevance × 0.4 + credit × 0.6. What is answered is noted for credit.',
    isRepeatable: true,
    carries: CARRIED,
  },
  run: async (brain: Brain, request, { who }) => (await brain.open()).search(who, request),
});

const store = work({
  ...write,
  name: 'memory_store',
  summary: 'Store a memory',
  input: input.newMemory,
  output: schema.storedSchema,
  refusals: ['conflict', 'too_large'],
  tool: {
    title: 'Store a memory',
    description:
      'Creates a memory as a markdown file. One that exists already is refused: use memory_update.',
  },
  route: 'POST /api/brain/memories',
  status: 201,
  run: async (brain: Brain, given, { who }) => (await brain.open()).store(who, input.toNewMemory(given)),
});

const update = work({
  ...write,
  name: 'memory_update',
  summary: 'Replace the text of a memory',
  input: { id: input.id, content: input.content },
  output: schema.updatedSchema,
  refusals: ['not_found', 'conflict'],
  tool: {
    title: 'Update a memory',
    description:
      'Replaces the text of a memory; its frontmatter is kept. Claims that other entities of the category contradict are named.',
    carries: ['theirs'],
  },
  route: 'PUT /api/brain/memories/:id',
  async run(brain: Brain, { id, content }, { who, via }) {
    const { previous, contradictions } = await (await brain.open()).update(who, id, content);
    const answer = { id, updated: true as const, previous_updated_at: schema.toIso(previous) };
    // The documented tool names contradictions only where there are some.
    if (via === 'tool' && contradictions.length === 0) return answer;
    return { ...answer, contradictions: [...contradictions] };
  },
});

const archive = work({
  ...write,
  name: 'memory_delete',
  summary: 'Archive a memory',
  input: { id: input.id },
  output: schema.archivedSchema,
  refusals: ['not_found', 'conflict'],
  tool: {
    title: 'Archive a memory',
    description:
      'Moves a memory to the archive. Its credit record goes, the history of its credit stays. Pinned memories are refused.',
    isDestructive: true,
  },
  route: 'DELETE /api/brain/memories/:id',
  run: async (brain: Brain, { id }, { who }) => ({
    id,
    archived: true as const,
    archive_path: await (await brain.open()).archive(who, id),
  }),
});

const report = work({
  ...noted,
  effect: 'read',
  name: 'credit_report',
  summary: 'How the memories stand',
  input: { top_n: input.topN },
  output: schema.reportSchema,
  tool: {
    title: 'Report credit',
    description:
      'Shows how many memories there are, the best and the least useful ones, and what a compaction would prune.',
  },
  route: 'GET /api/brain/report',
  run: async (brain: Brain, { top_n }) => (await brain.open()).report(top_n),
});

const compact = work({
  ...write,
  name: 'memory_compact',
  summary: 'Merge, promote and prune, or say what that would do',
  input: { dry_run: z.boolean().default(false).describe('true only says what would be done.') },
  output: schema.compactedSchema,
  tool: {
    title: 'Compact memories',
    description:
      'Merges episodes of one day about the same things, promotes facts that proved useful to entities, and archives what is of little use, as STRATEGY.md says. consolidated counts the episodes that were merged.',
    isDestructive: true,
    isRepeatable: true,
  },
  route: 'POST /api/brain/compact',
  run: async (brain: Brain, { dry_run: isDryRun }, { signal, progress: onProgress }) =>
    (await brain.open()).compact({ isDryRun, signal, ...(onProgress && { onProgress }) }),
});

const signal = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe('A name for this signal; given twice, it counts once.');

const feedback = work({
  ...write,
  name: 'memory_feedback',
  summary: 'Say whether memories helped',
  input: {
    outcome: input.verdict,
    ids: input.ids.optional().describe('Only these memories.'),
    signal,
    session: z.string().min(1).max(300).optional(),
  },
  output: schema.feedbackSchema,
  refusals: ['not_found'],
  onlyRoute: ['session'],
  tool: {
    title: 'Say whether memories helped',
    description:
      'good raises and bad lowers the score of the memories you used: those named, or what your last turns retrieved. Repeating a signal changes nothing.',
    isRepeatable: true,
    profile: 'extended',
  },
  route: 'POST /api/brain/feedback',
  async run(brain: Brain, { outcome, ids, signal: name, session }, { who, via }) {
    const vault = await brain.open();
    // A person, who has no turns, judges what was remembered last, whoever did.
    const isAboutLatest = via === 'route' && session === undefined && ids === undefined;
    return vault.feedback(who, {
      signal: outcome === 'good' ? 'positive_feedback' : 'user_correction',
      ids,
      key: name === undefined ? undefined : `given:${who.id}:${name}`,
      session: isAboutLatest ? await vault.latestSession() : session,
    });
  },
});

const restore = work({
  ...write,
  name: 'memory_restore',
  summary: 'Bring an archived memory back',
  input: { id: input.id.optional(), archive_path: z.string().min(1).max(400).optional() },
  output: schema.restoredSchema,
  tool: {
    title: 'Restore a memory',
    description:
      'Brings an archived memory back, with the score it had. Name its id, or the archive_path memory_delete answered.',
    isRepeatable: true,
    profile: 'extended',
  },
  run: async (brain: Brain, { id, archive_path }, { who }) => ({
    ...(await (await brain.open()).restore(who, wantedOf(id, archive_path))),
    restored: true as const,
  }),
});

function wantedOf(
  id: string | undefined,
  archivePath: string | undefined,
): { id: string } | { archivePath: string } {
  if (archivePath !== undefined) {
    if (/^archive\/(?:entities|episodes)\/[^/]+\/[^/]+\.md$/.test(archivePath)) return { archivePath };
    throw new HubError('invalid', 'archive_path must look like archive/entities/<category>/<name>.md.');
  }
  if (id !== undefined) return { id };
  throw new HubError('invalid', 'Name the id or the archive_path of what to restore.');
}

/** In the order in which tools are listed. */
export const brainOperations = [
  retrieve,
  search,
  store,
  update,
  archive,
  report,
  compact,
  feedback,
  restore,
  ...peopleOperations,
] as const;
