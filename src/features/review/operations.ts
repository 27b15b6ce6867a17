// What one can do with reviews, as tools and routes.
import { z } from 'zod';
import { hasNoSecret } from '../../kernel/words.ts';
import { identity, nameField, once } from '../../operation/identity.ts';
import { work } from '../../operation/operation.ts';
import { callOf } from '../../store/calls.ts';
import type { Reviews } from './reviews.ts';
import { conflictSchema, reviewSchema, SIDES, threadSchema, verdictSchema } from './shapes.ts';
import type { Verdicts } from './verdicts.ts';

type Bench = Readonly<{ reviews: Reviews; verdicts: Verdicts }>;

const read = { scope: 'runs:read', effect: 'read', refusals: ['not_found', 'forbidden'] } as const;
const write = {
  scope: 'runs:write',
  effect: 'state',
  refusals: ['not_found', 'invalid', 'conflict', 'forbidden', 'limited'],
} as const;

const of = { id: nameField().describe('Of a task or of a run.') };
const path = z
  .string()
  .min(1)
  .max(4_096)
  .refine((text) => !/^\/|(?:^|\/)\.\.(?:\/|$)|[\0\n]/.test(text), 'must be a path inside the tree');
const line = z.int().min(1).max(10_000_000);
const words = z.string().max(20_000);
const head = nameField().describe('What was looked at, as the review says it.');
/** What others wrote. */
const CARRIES = ['threads.quoted', 'threads.comments.body', 'threads.comments.suggestion'];
const CARRIES_ONE = ['thread.quoted', 'thread.comments.body', 'thread.comments.suggestion'];

const getReview = work({
  ...read,
  refusals: [...read.refusals, 'unavailable', 'conflict'],
  name: 'get_review',
  summary: 'What a task or a run changes, what was said about it, and what approving it would do.',
  input: { ...of, space: z.enum(['shown', 'ignored']).optional().describe('White space that changed.') },
  output: reviewSchema,
  route: 'GET /api/reviews/:id',
  run: ({ reviews }: Bench, { id, space }, context) =>
    reviews.get(callOf(context, 'get_review'), id, space === 'ignored'),
});

const readFile = work({
  ...read,
  refusals: [...read.refusals, 'unavailable', 'conflict'],
  name: 'read_review_file',
  summary: 'One file of a review as it is now, and all of its difference.',
  input: { ...of, path },
  output: z.object({
    text: z.string().nullable().describe('Null where it is gone, no text, or too long.'),
    patch: z.string(),
  }),
  route: 'GET /api/reviews/:id/file',
  run: ({ reviews }: Bench, { id, path: wanted }, context) =>
    reviews.file(callOf(context, 'read_review_file'), id, wanted),
});

const conflicts = work({
  ...read,
  refusals: [...read.refusals, 'unavailable', 'conflict'],
  name: 'review_conflicts',
  summary: 'Where a change and its target do not go together: both sides of each file.',
  input: of,
  output: z.object({ conflicts: z.array(conflictSchema) }),
  route: 'GET /api/reviews/:id/conflicts',
  run: async ({ reviews }: Bench, { id }, context) => ({
    conflicts: await reviews.conflicts(callOf(context, 'review_conflicts'), id),
  }),
});

const listThreads = work({
  ...read,
  name: 'list_review_comments',
  summary: 'What was said about the lines of a change, with suggestions to apply.',
  input: { ...of, open: z.boolean().optional().describe('Only what is not resolved.') },
  output: z.object({ threads: z.array(threadSchema) }),
  tool: {
    title: 'Review comments',
    description:
      'Comments of a review on the lines of a task or run you work on. A suggestion says what the lines fromLine to toLine of path, which were `quoted`, are to be instead: apply it as it stands where it is right.',
    profile: 'extended',
    carries: CARRIES,
  },
  route: 'GET /api/reviews/:id/comments',
  async run({ reviews }: Bench, { id, open = false }, context) {
    const threads = await reviews.threads(callOf(context, 'list_review_comments'), id);
    return { threads: threads.filter(({ resolvedAt }) => !open || resolvedAt === null) };
  },
});

const comment = work({
  ...write,
  name: 'review_comment',
  summary: 'Say something about lines of a change, or suggest what they are to be instead.',
  input: {
    ...of,
    path: path.refine(hasNoSecret, 'must not hold a secret'),
    side: z.enum(SIDES).describe('Which numbers the lines have: of the file before or after.'),
    fromLine: line,
    toLine: line,
    quoted: z.string().max(10_000).describe('The lines as they are.'),
    head,
    body: words,
    suggestion: words.optional(),
    ...identity,
    ...once,
  },
  output: z.object({ thread: threadSchema }),
  tool: {
    title: 'Comment on lines',
    profile: 'extended',
    carries: CARRIES_ONE,
  },
  route: 'POST /api/reviews/:id/comments',
  status: 201,
  async run({ reviews }: Bench, args, context) {
    const { id, agentId, fence, idempotencyKey: _, ...given } = args;
    const call = { ...callOf(context, 'review_comment'), args, agentId, fence };
    return { thread: await reviews.comment(call, id, given) };
  },
});

const reply = work({
  ...write,
  name: 'review_reply',
  summary: 'Reply to a comment on lines, resolve it, or open it again.',
  input: {
    threadId: nameField(),
    body: words.describe('May be empty where only `resolve` is meant.'),
    resolve: z.boolean().optional().describe('True: it is done. False: it is not.'),
    ...identity,
    ...once,
  },
  output: z.object({ thread: threadSchema }),
  tool: {
    title: 'Reply to a comment on lines',
    profile: 'extended',
    carries: CARRIES_ONE,
  },
  route: 'POST /api/reviews/comments/:threadId/reply',
  async run({ reviews }: Bench, args, context) {
    const { agentId, fence, idempotencyKey: _, ...given } = args;
    const call = { ...callOf(context, 'review_reply'), args, agentId, fence };
    return { thread: await reviews.reply(call, given) };
  },
});

const outcome = z.object({
  verdict: verdictSchema,
  run: z.string().nullable().describe('The run that goes on with it.'),
  landing: z.string().nullable(),
});
const decided = { ...of, head, body: words };

const approve = work({
  ...write,
  refusals: [...write.refusals, 'unauthorized', 'unavailable'],
  name: 'approve_review',
  summary: 'Let a change through: its landing is approved, or its task is done where nothing lands.',
  input: { ...decided, override: words.optional().describe('Why it is done against a check of the task.') },
  output: outcome,
  route: 'POST /api/reviews/:id/approve',
  run: ({ verdicts }: Bench, { id, ...given }, context) =>
    verdicts.approve(callOf(context, 'approve_review'), id, given),
});

const requestChanges = work({
  ...write,
  refusals: [...write.refusals, 'unavailable'],
  name: 'request_changes',
  summary:
    'Send a change back with what was said about it: as the next prompt of its session, to its holder, or free for the next.',
  input: decided,
  output: outcome,
  route: 'POST /api/reviews/:id/request-changes',
  run: ({ verdicts }: Bench, { id, ...given }, context) =>
    verdicts.requestChanges(callOf(context, 'request_changes'), id, given),
});

export const reviewOperations = [
  getReview,
  readFile,
  conflicts,
  listThreads,
  comment,
  reply,
  approve,
  requestChanges,
] as const;
