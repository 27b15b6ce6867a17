// What a person needs to live with a board, over HTTP alone: a stdio server does not load it.
import { z } from 'zod';
import { change, look, work } from '../../../operation/operation.ts';
import { commentSchema } from '../detail.ts';
import * as input from '../inputs.ts';
import { cardPageSchema, movesSchema } from '../people/cards.ts';
import type { People, PeopleDesk, PeopleView } from '../people/people.ts';
import { hitsSchema } from '../people/search.ts';
import { savedViewSchema, viewName, viewSearch } from '../people/saved-views.ts';
import { statsSchema } from '../people/stats.ts';
import { taskSchema } from '../task.ts';
import { read, told, write } from './tasks.ts';

const limit = input.limit.optional().describe('100 unless given.');

const findTasks = look({
  ...read,
  name: 'find_tasks',
  summary:
    'The tasks whose ids end like this, for people who type; what was archived only where nothing else does.',
  input: { ending: z.string().max(32) },
  output: z.object({ ids: z.array(z.string()).describe('The first twenty.'), total: z.int() }),
  route: 'GET /api/board/ids',
  run: (view: PeopleView, { ending }) => view.idsEnding(ending),
});

const searchBoard = look({
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

const listComments = look({
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

const taskHistory = look({
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

const readCards = look({
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

const readMoves = look({
  ...read,
  name: 'board_moves',
  summary: 'Which status may follow which, and how long a lease is.',
  input: {},
  output: movesSchema,
  route: 'GET /api/board/moves',
  run: async (view: PeopleView) => view.moves(),
});

const listLabels = look({
  ...read,
  name: 'list_labels',
  summary: 'Every label with the tasks in sight that have it.',
  input: {},
  output: z.object({ labels: z.array(z.object({ label: z.string(), taskIds: z.array(z.string()) })) }),
  route: 'GET /api/board/labels',
  run: async (view: PeopleView) => ({ labels: await view.labels() }),
});

const labels = z.object({ taskId: z.string(), labels: z.array(z.string()) });

const taskLabels = look({
  ...read,
  name: 'task_labels',
  summary: 'The labels of a task.',
  input: { taskId: input.taskId },
  output: labels,
  refusals: ['not_found'],
  route: 'GET /api/board/tasks/:taskId/labels',
  run: async (view: PeopleView, { taskId }) => ({ taskId, labels: await view.labelsOf(taskId) }),
});

const labelTask = change({
  ...write,
  name: 'label_task',
  summary: 'Add and remove labels of a task.',
  input: {
    taskId: input.taskId,
    add: z.array(input.label).max(20).optional(),
    remove: z.array(input.label).max(20).optional(),
    ...told,
  },
  output: labels,
  refusals: ['not_found', 'limited'],
  route: 'PATCH /api/board/tasks/:taskId/labels',
  run: async (desk: PeopleDesk, request) => ({
    taskId: request.taskId,
    labels: await desk.relabel(request),
  }),
});

const placeTask = change({
  ...write,
  name: 'place_task',
  summary: 'Put a task between two others of its column, or back to where its turn is.',
  input: {
    taskId: input.taskId,
    after: input.taskId.optional().describe('The task above it.'),
    before: input.taskId.optional().describe('The task below it.'),
    ...told,
  },
  output: z.object({ taskId: z.string(), place: z.string() }),
  refusals: ['not_found', 'conflict'],
  route: 'PUT /api/board/tasks/:taskId/place',
  run: (desk: PeopleDesk, request) => desk.place(request),
});

const listViews = look({
  ...read,
  name: 'list_views',
  summary: 'Ways of looking at the board that were given a name.',
  input: {},
  output: z.object({ views: z.array(savedViewSchema) }),
  route: 'GET /api/board/views',
  run: async (view: PeopleView) => ({ views: await view.views() }),
});

const saveView = change({
  ...write,
  name: 'save_view',
  summary: 'Give the way one looks at the board a name, or change what the name stands for.',
  input: {
    name: viewName,
    search: viewSearch.describe('What stands in the address behind its question mark.'),
    ...told,
  },
  output: savedViewSchema,
  refusals: ['limited'],
  route: 'PUT /api/board/views/:name',
  run: (desk: PeopleDesk, { name, search }) => desk.saveView({ name, search }),
});

const deleteView = change({
  ...write,
  name: 'delete_view',
  summary: 'Forget a way of looking at the board.',
  input: { name: viewName, ...told },
  output: z.object({ name: z.string() }),
  refusals: ['not_found'],
  route: 'DELETE /api/board/views/:name',
  run: (desk: PeopleDesk, { name }) => desk.forgetView(name),
});

const archiveTask = change({
  ...write,
  name: 'archive_task',
  summary: 'Put a finished task out of sight of lists, or back into sight. It can still be read by its id.',
  input: { taskId: input.taskId, archived: z.boolean(), ...told },
  output: z.object({ taskId: z.string(), archived: z.boolean() }),
  refusals: ['not_found', 'conflict'],
  route: 'PUT /api/board/tasks/:taskId/archived',
  run: (desk: PeopleDesk, request) => desk.shelve(request),
});

const finishTask = change({
  ...write,
  name: 'finish_task',
  summary: 'A person says that a task is done, also one that nobody has begun.',
  input: {
    taskId: input.taskId,
    override: z
      .object({ reason: input.evidenceSummary })
      .optional()
      .describe('Why it is done although a required check is not.'),
    ...told,
  },
  output: taskSchema,
  refusals: ['not_found', 'conflict', 'forbidden'],
  route: 'PUT /api/board/tasks/:taskId/finished',
  run: (desk: PeopleDesk, { taskId, override }) => desk.finish({ taskId, override }),
});

const reopenTask = change({
  ...write,
  name: 'reopen_task',
  summary: 'A person says that a finished task is not: it is todo again.',
  input: { taskId: input.taskId, ...told },
  output: taskSchema,
  refusals: ['not_found', 'conflict', 'forbidden'],
  route: 'PUT /api/board/tasks/:taskId/reopened',
  run: (desk: PeopleDesk, { taskId }) => desk.reopen(taskId),
});

const takenBack = z.object({
  task: taskSchema,
  what: z.string().describe('The operation that was taken back, such as update_task.'),
  at: z.int(),
  lost: z.literal('claim').optional().describe('The claim that the change had ended is not restored.'),
});

const undo = work({
  ...write,
  name: 'undo',
  summary:
    "Take back all that the caller's last command changed on the board, but for tasks that somebody has changed since. Persons only.",
  effect: 'state',
  input: {
    ...told,
    command: input.taskId
      .optional()
      .describe('The one that was shown (list_undos): refused when it is not the last one any more.'),
  },
  output: takenBack.extend({
    undone: z
      .array(takenBack)
      .describe('What was taken back, the first hundred; the first of all stands beside it, too.'),
    total: z.int().describe('How many changes were taken back.'),
    refused: z
      .array(z.object({ taskId: z.string(), what: z.string(), why: z.string() }))
      .describe('What stays as it is, the first hundred.'),
    stayed: z.int().describe('How many stay as they are.'),
  }),
  refusals: ['not_found', 'conflict', 'forbidden'],
  route: 'PUT /api/board/undone',
  run: (people: People, args, { who, via }) =>
    people.undo({ who, via, name: 'undo', args, agentId: args.agentId, fence: args.fence }, args.command),
});

const listUndos = look({
  ...read,
  name: 'list_undos',
  summary: 'What the caller could take back, newest first: each command with all that it changed.',
  input: { limit: z.int().min(1).max(100).optional().describe('20 unless given.') },
  output: z.object({
    commands: z.array(
      z.object({
        command: z.string(),
        at: z.int(),
        source: z.string().nullable().describe('The file that it took its tasks from.'),
        total: z.int().describe('How many changes it made.'),
        added: z.int().describe('How many of them were new tasks.'),
        changes: z
          .array(
            z.object({
              taskId: z.string(),
              title: z.string(),
              teamId: z.string().nullable(),
              what: z.string(),
            }),
          )
          .describe('The newest hundred.'),
      }),
    ),
  }),
  refusals: ['forbidden'],
  route: 'GET /api/board/undos',
  run: async (view: PeopleView, args) => ({ commands: await view.undos(args.limit) }),
});

const boardStats = look({
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

export const peopleOperations = [
  findTasks,
  searchBoard,
  listComments,
  taskHistory,
  readCards,
  readMoves,
  listLabels,
  taskLabels,
  labelTask,
  placeTask,
  listViews,
  saveView,
  deleteView,
  archiveTask,
  finishTask,
  reopenTask,
  undo,
  listUndos,
  boardStats,
] as const;
