// What a person needs to live with a board, over HTTP alone: a stdio server does not load it.
import { z } from 'zod';
import { change, look } from '../../../operation/operation.ts';
import * as input from '../inputs.ts';
import type { PeopleDesk, PeopleView } from '../people/people.ts';
import { savedViewSchema, viewName, viewSearch } from '../people/saved-views.ts';
import { taskSchema } from '../task.ts';
import {
  boardStats,
  findTasks,
  listComments,
  readCards,
  readMoves,
  searchBoard,
  taskHistory,
} from './looks.ts';
import { read, told, write } from './tasks.ts';
import { listUndos, undo } from './undo.ts';

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
