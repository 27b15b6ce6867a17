import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { defineRoute, flagText, integerText, type Route } from '../../http/route.ts';
import type { Database } from '../../store/database.ts';
import { archiveRoutes } from './archive-routes.ts';
import type { Board } from './board.ts';
import { changeRoute, PLACE } from './change-route.ts';
import { createDesk, type Desk } from './desk.ts';
import { detailRoutes } from './detail-routes.ts';
import * as input from './inputs.ts';
import { taskDetailSchema, taskPageSchema, taskSchema } from './task.ts';

/** `/api/board`: the same board for scripts and the dashboard, under the same rules as the tools. */
export function boardRoutes(db: Database, board: Board): Route[] {
  const desk = createDesk(db, board);
  return [
    ...readRoutes(desk, board),
    ...taskRoutes(desk, board),
    ...claimRoutes(desk, board),
    ...detailRoutes(desk, board),
    ...archiveRoutes(db),
  ];
}

const oneTask = { taskId: input.taskId };

function readRoutes(desk: Desk, board: Board): Route[] {
  return [
    defineRoute({
      ...PLACE,
      method: 'GET',
      path: '/api/board/tasks',
      summary: 'List tasks, highest priority first, then oldest.',
      query: z.object({
        ...input.filters,
        ready: flagText().optional().describe('Only what can be claimed now.'),
        limit: integerText(input.limit).optional().describe('Tasks per page, 100 unless given.'),
        cursor: input.cursor.optional().describe('nextCursor of the page before, with the same filters.'),
      }),
      response: taskPageSchema,
      handler: ({ query: { limit = 100, ...filter } }, { who }) => desk.look(who, {}, (q) => board.list(q, who, { ...filter, limit })),
    }),
    defineRoute({
      ...PLACE,
      method: 'GET',
      path: '/api/board/tasks/:taskId',
      summary: 'Show one task with its comments, relatives and checks.',
      params: z.object(oneTask),
      query: z.object({ commentLimit: integerText(input.limit).optional().describe('Newest comments to show, 200 unless given.') }),
      response: taskDetailSchema,
      refusals: ['not_found'],
      handler: ({ params, query }, { who }) =>
        desk.look(who, {}, (q, caller) => board.get(q, caller, params.taskId, query.commentLimit ?? 200)),
    }),
  ];
}

function taskRoutes(desk: Desk, board: Board): Route[] {
  return [
    changeRoute(desk, {
      method: 'POST',
      path: '/api/board/tasks',
      summary: 'Create a task.',
      status: 201,
      refusals: ['not_found', 'conflict', 'limited'],
      params: {},
      body: input.newTask,
      response: taskSchema,
      run: (tx, caller, _params, body) => board.create(tx, caller, body),
    }),
    changeRoute(desk, {
      method: 'PATCH',
      path: '/api/board/tasks/:taskId',
      summary: 'Change a task or its status. With override a person may finish it against its checks.',
      refusals: ['not_found', 'conflict', 'stale_fence'],
      params: oneTask,
      body: {
        ...input.edits,
        status: input.status.optional(),
        override: z.object({ reason: input.evidenceSummary }).optional().describe('Why the task is done although a required check is not.'),
      },
      response: taskSchema,
      async run(tx, caller, { taskId }, { status, override, ...given }) {
        if (override && status !== 'done') throw new HubError('invalid', 'override belongs to the status done.');
        const edits = input.editsOf(given);
        const hasEdits = Object.values(edits).some((value) => value !== undefined);
        // Who may only judge the work changes its status and nothing else.
        const edited = hasEdits || status === undefined ? await board.edit(tx, caller, taskId, edits) : undefined;
        return status === undefined ? edited! : board.move(tx, caller, { taskId, to: status, override });
      },
    }),
    changeRoute(desk, {
      method: 'DELETE',
      path: '/api/board/tasks/:taskId',
      summary: 'Take a task off the board. Its history stays.',
      refusals: ['not_found', 'stale_fence'],
      params: oneTask,
      body: {},
      response: taskSchema,
      run: (tx, caller, { taskId }) => board.drop(tx, caller, taskId),
    }),
  ];
}

function claimRoutes(desk: Desk, board: Board): Route[] {
  return [
    changeRoute(desk, {
      method: 'POST',
      path: '/api/board/tasks/:taskId/claim',
      summary: 'Claim a ready todo task for an agent, atomically.',
      refusals: ['not_found', 'conflict'],
      params: oneTask,
      body: { assigneeAgentId: input.agentName, assigneeRuntime: input.runtime.optional() },
      response: taskSchema,
      isAcquiring: true,
      agentOf: (body) => body.assigneeAgentId,
      run: (tx, caller, { taskId }, body) =>
        board.claim(tx, caller, { taskId, agentId: body.assigneeAgentId, runtime: body.assigneeRuntime }),
    }),
    changeRoute(desk, {
      method: 'POST',
      path: '/api/board/claim-next',
      summary: 'Claim the most urgent ready task; task is null when nothing is ready.',
      refusals: [],
      params: {},
      body: { assigneeAgentId: input.agentName, assigneeRuntime: input.runtime.optional(), teamId: input.teamId.optional() },
      response: z.object({ task: taskSchema.nullable() }),
      isAcquiring: true,
      agentOf: (body) => body.assigneeAgentId,
      async run(tx, caller, _params, { assigneeAgentId, assigneeRuntime, teamId }) {
        const task = await board.claimNext(tx, caller, { agentId: assigneeAgentId, runtime: assigneeRuntime, teamId });
        return { task: task ?? null };
      },
    }),
    changeRoute(desk, {
      method: 'POST',
      path: '/api/board/tasks/:taskId/release',
      summary: 'Give an in_progress task back to todo.',
      refusals: ['not_found', 'conflict', 'stale_fence'],
      params: oneTask,
      body: {},
      response: taskSchema,
      run: (tx, caller, { taskId }) => board.release(tx, caller, taskId),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/board/tasks/:taskId/heartbeat',
      summary: 'Keep a claim alive.',
      tag: PLACE.tag,
      scope: 'board:write',
      refusals: ['not_found', 'conflict', 'stale_fence'],
      params: z.object(oneTask),
      // Repeating it is harmless, so its key needs no keeping.
      body: z
        .object({ ...input.identity, ...input.once })
        .strict()
        .optional(),
      response: z.object({ taskId: z.string(), fence: z.int(), leaseUntil: z.int().nullable() }),
      handler: ({ params, body = {} }, { who }) => desk.look(who, body, (q, caller) => board.heartbeat(q, caller, params.taskId)),
    }),
  ];
}
