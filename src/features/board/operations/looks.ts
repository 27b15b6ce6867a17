// How a person looks at the board, over HTTP alone.
import { z } from 'zod';
import { look } from '../../../operation/operation.ts';
import { commentSchema } from '../detail.ts';
import * as input from '../inputs.ts';
import { cardPageSchema, movesSchema } from '../people/cards.ts';
import type { PeopleView } from '../people/people.ts';
import { hitsSchema } from '../people/search.ts';
import { statsSchema } from '../people/stats.ts';
import { read } from './tasks.ts';

const limit = input.limit.optional().describe('100 unless given.');

export const findTasks = look({
  ...read,
  name: 'find_tasks',
  summary:
    'The tasks whose ids end like this, for people who type; what was archived only where nothing else does.',
  input: { ending: z.string().max(32) },
  output: z.object({ ids: z.array(z.string()).describe('The first twenty.'), total: z.int() }),
  route: 'GET /api/board/ids',
  run: (view: PeopleView, { ending }) => view.idsEnding(ending),
});

export const searchBoard = look({
  ...read,
  name: 'search_board',
  summary:
    'What people and agents wrote on the board: in tasks, comments, checks and evidence; archived ones, too. Titles first, then the newest.',
  input: {
    q: z
      .string()
      .min(1)
      .max(500)
      .describe('Words, "phrases", -word, and terms such as status:todo label:x has:comment kind:comment.'),
    teamId: input.teamId.optional(),
    orNone: z.boolean().optional().describe('With teamId: what belongs to no team, too.'),
    limit: input.limit.optional().describe('20 unless given.'),
  },
  output: hitsSchema,
  route: 'GET /api/board/search',
  run: async (view: PeopleView, request) => ({ hits: await view.search(request) }),
});

export const listComments = look({
  ...read,
  name: 'list_comments',
  summary: 'The newest comments of a task, oldest first; go back with before.',
  input: {
    taskId: input.taskId,
    before: input.taskId.optional().describe('Only comments older than this one.'),
    limit,
  },
  output: z.object({ comments: z.array(commentSchema), nextBefore: z.string().optional() }),
  refusals: ['not_found'],
  route: 'GET /api/board/tasks/:taskId/comments',
  run: (view: PeopleView, request) => view.comments(request),
});

const eventSchema = z.object({
  seq: z.int(),
  at: z.int(),
  kind: z.string(),
  actor: z.object({ id: z.string(), asserted: z.boolean() }),
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
});

export const taskHistory = look({
  ...read,
  name: 'task_history',
  summary: 'What happened to a task, oldest first, from the event log.',
  input: {
    taskId: input.taskId,
    after: z.int().min(0).optional().describe('Only events after this one.'),
    limit,
  },
  output: z.object({ events: z.array(eventSchema), nextAfter: z.int().optional() }),
  refusals: ['not_found'],
  route: 'GET /api/board/tasks/:taskId/history',
  run: (view: PeopleView, request) => view.history(request),
});

export const readCards = look({
  ...read,
  name: 'board_cards',
  summary: 'The whole board for drawing, a page at a time in the order of ids; or some of its tasks by id.',
  input: {
    teamId: input.teamId.optional(),
    ids: z.array(z.string()).max(200).optional().describe('Only these tasks.'),
    after: input.taskId.optional().describe('next of the page before.'),
    archived: z
      .boolean()
      .optional()
      .describe('true: only what was put out of sight. Otherwise that is left out.'),
    limit: z.int().min(1).max(2_000).optional().describe('2000 unless given.'),
  },
  output: cardPageSchema,
  route: 'GET /api/board/cards',
  run: (view: PeopleView, request) => view.cards(request),
});

export const readMoves = look({
  ...read,
  name: 'board_moves',
  summary: 'Which status may follow which, and how long a lease is.',
  input: {},
  output: movesSchema,
  route: 'GET /api/board/moves',
  run: async (view: PeopleView) => view.moves(),
});

export const boardStats = look({
  ...read,
  name: 'board_stats',
  summary: 'What was finished: throughput, lead time, and cost by agent and team.',
  input: {
    since: z.int().min(0).optional().describe('In milliseconds; the last 30 days unless given.'),
    teamId: input.teamId.optional(),
  },
  output: statsSchema,
  route: 'GET /api/board/stats',
  run: (view: PeopleView, span) => view.stats(span),
});
