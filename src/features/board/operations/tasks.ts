// Tasks as such: finding them, making them, what they say and where they stand.
import { z } from 'zod';
import { identity, once } from '../../../operation/identity.ts';
import { change, look } from '../../../operation/operation.ts';
import type { BoardDesk, BoardView } from '../board.ts';
import { taskDetailSchema } from '../detail.ts';
import * as input from '../inputs.ts';
import { edits, filters, narrowing, newTask, status, taskPageSchema, taskSchema, WORDS } from '../task.ts';

export const read = { scope: 'board:read' } as const;
export const write = { scope: 'board:write' } as const;
/** How every change tells who makes it, and that it is one. */
export const told = { ...identity, ...once };

export const listTasks = look({
  ...read,
  name: 'list_tasks',
  summary: 'List tasks: open ones first, by priority, then oldest; then those that are over, newest first.',
  input: {
    ...filters,
    ...narrowing,
    ready: z.boolean().optional(),
    all: z.boolean().optional().describe('Every project, not only yours.'),
    limit: input.limit.optional().describe('Tasks per page, 50 unless given.'),
    cursor: input.cursor.optional().describe('nextCursor of the page before, with the same filters.'),
    after: input.taskId.optional().describe('Go on after this task, as it stands now; for people who type.'),
  },
  onlyTool: ['all'],
  onlyRoute: ['orNone', 'state', 'search', 'label', 'archived', 'q', 'after'],
  output: taskPageSchema,
  refusals: ['not_found'],
  tool: {
    title: 'List tasks',
    description:
      'Lists tasks: open ones by priority, then oldest; after them what is over, newest first. ready=true shows only what can be claimed now.',
    carries: WORDS,
  },
  route: 'GET /api/board/tasks',
  run: (view: BoardView, request) => view.list(request),
});

export const getTask = look({
  ...read,
  name: 'get_task',
  summary: 'Show one task with its comments, relatives and checks.',
  input: {
    taskId: input.taskId,
    commentLimit: input.limit.optional().describe('Newest comments to show, 200 unless given.'),
    ...identity,
  },
  onlyTool: ['agentId', 'fence'],
  output: taskDetailSchema,
  refusals: ['not_found'],
  tool: {
    title: 'Get a task',
    description:
      'Shows one task with its comments, ancestors, dependencies, dependents, subtasks and checks.',
    carries: WORDS,
  },
  route: 'GET /api/board/tasks/:taskId',
  run: (view: BoardView, request) => view.get(request),
});

export const createTask = change({
  ...write,
  name: 'create_task',
  summary: 'Create a task.',
  input: { ...newTask, ...told },
  output: taskSchema,
  refusals: ['not_found', 'conflict', 'limited'],
  tool: {
    title: 'Create a task',
    description:
      'Puts a task on the board. A status of in_progress or later makes you its holder, so it needs to know you.',
  },
  route: 'POST /api/board/tasks',
  status: 201,
  run: (desk: BoardDesk, request) => desk.create(request),
});

export const createSubtask = change({
  ...write,
  name: 'create_subtask',
  summary: "Puts a task under a parent and into the parent's team.",
  input: {
    parentTaskId: input.taskId,
    title: newTask.title,
    description: newTask.description,
    ...told,
  },
  output: taskSchema,
  tool: { title: 'Create a subtask' },
  run: (desk: BoardDesk, request) => desk.create(request),
});

export const updateTaskStatus = change({
  ...write,
  name: 'update_task_status',
  summary:
    'Moves a task to another status. Only the legal moves of the board are allowed; a refusal names them.',
  input: { taskId: input.taskId, status, ...told },
  output: taskSchema,
  tool: { title: 'Change the status', isRepeatable: true, carries: WORDS },
  run: (desk: BoardDesk, { taskId, status: to }) => desk.move({ taskId, to }),
});

export const blockTask = change({
  ...write,
  name: 'block_task',
  summary: 'Marks a task as blocked; say why with add_comment. Its holder stays.',
  input: { taskId: input.taskId, ...told },
  output: taskSchema,
  tool: { title: 'Block a task', isRepeatable: true, carries: WORDS },
  run: (desk: BoardDesk, { taskId }) => desk.move({ taskId, to: 'blocked', verb: 'block' }),
});

export const unblockTask = change({
  ...write,
  name: 'unblock_task',
  summary: 'Returns a blocked task to todo, free to be claimed.',
  input: { taskId: input.taskId, ...told },
  output: taskSchema,
  tool: { title: 'Unblock a task', carries: WORDS },
  run: (desk: BoardDesk, { taskId }) => desk.unblock(taskId),
});

export const updateTask = change({
  ...write,
  name: 'update_task',
  summary: 'Change a task or its status. With override a person may finish it against its checks.',
  input: {
    taskId: input.taskId,
    ...edits,
    status: status.optional(),
    override: z
      .object({ reason: input.evidenceSummary })
      .optional()
      .describe('Why the task is done although a required check is not.'),
    ...told,
  },
  onlyRoute: ['status', 'override'],
  output: taskSchema,
  refusals: ['not_found', 'conflict', 'stale_fence', 'not_holder'],
  tool: {
    title: 'Edit a task',
    description: 'Changes texts, priority, branch, worktree or cost. New texts ask for new evidence.',
    isRepeatable: true,
    carries: WORDS,
    profile: 'extended',
  },
  route: 'PATCH /api/board/tasks/:taskId',
  run: (desk: BoardDesk, request) => desk.update(request),
});

export const dropTask = change({
  ...write,
  name: 'drop_task',
  summary: 'Take a task off the board. Its history stays.',
  input: { taskId: input.taskId, ...told },
  output: taskSchema,
  refusals: ['not_found', 'stale_fence', 'not_holder'],
  route: 'DELETE /api/board/tasks/:taskId',
  run: (desk: BoardDesk, { taskId }) => desk.drop(taskId),
});
