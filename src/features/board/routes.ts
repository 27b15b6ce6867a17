import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { defineRoute, flagText, integerText, type Route } from '../../http/route.ts';
import type { Database } from '../../store/database.ts';
import { archiveRoutes } from './archive-routes.ts';
import { cardRoutes } from './cards.ts';
import { byRoute, type Caller } from '../../store/acting.ts';
import { changeRoute, PLACE } from './change-route.ts';
import type { BoardDoor } from './change-tool.ts';
import { assign, claim, claimNext, heartbeat, type ClaimRequest } from './claims.ts';
import { create, drop, edit } from './creation.ts';
import { detailRoutes } from './detail-routes.ts';
import { identity, once } from '../../operation/identity.ts';
import * as input from './inputs.ts';
import { livingRoutes } from './living-routes.ts';
import { move, release } from './moves.ts';
import { shown } from './reading.ts';
import { requireName } from './refusals.ts';
import { presentTask, taskDetailSchema, taskPageSchema, taskSchema } from './task.ts';

/** `/api/board`: the same board for scripts and the dashboard, under the same rules as the tools. */
export function boardRoutes({ db, ...door }: BoardDoor & Readonly<{ db: Database }>): Route[] {
  return [
    ...readRoutes(door),
    ...taskRoutes(door),
    ...claimRoutes(door),
    ...detailRoutes(door),
    ...cardRoutes(door),
    ...livingRoutes(door),
    ...archiveRoutes(db),
  ];
}

const oneTask = { taskId: input.taskId };

function readRoutes(door: BoardDoor): Route[] {
  return [
    defineRoute({
      ...PLACE,
      method: 'GET',
      path: '/api/board/tasks',
      summary: 'List tasks, highest priority first, then oldest.',
      query: z.object({
        ...input.filters,
        orNone: flagText().optional().describe('With teamId: what belongs to no team, too.'),
        ...input.narrowing,
        archived: flagText().optional().describe('What was put out of sight, and nothing else.'),
        ready: flagText().optional().describe('Only what can be claimed now.'),
        limit: integerText(input.limit).optional().describe('Tasks per page, 100 unless given.'),
        cursor: input.cursor.optional().describe('nextCursor of the page before, with the same filters.'),
      }),
      response: taskPageSchema,
      handler: ({ query: { limit = 100, ...filter } }, { who }) =>
        door.acting.look(byRoute(who, 'list'), (q, caller) =>
          door.board.list(q, caller, { ...filter, limit }),
        ),
    }),
    defineRoute({
      ...PLACE,
      method: 'GET',
      path: '/api/board/tasks/:taskId',
      summary: 'Show one task with its comments, relatives and checks.',
      params: z.object(oneTask),
      query: z.object({
        commentLimit: integerText(input.limit)
          .optional()
          .describe('Newest comments to show, 200 unless given.'),
      }),
      response: taskDetailSchema,
      refusals: ['not_found'],
      handler: ({ params, query }, { who }) =>
        door.acting.look(byRoute(who, 'get'), (q, caller) =>
          door.board.get(q, caller, { taskId: params.taskId, comments: query.commentLimit ?? 200 }),
        ),
    }),
  ];
}

function taskRoutes(door: BoardDoor): Route[] {
  return [
    changeRoute(door, {
      method: 'POST',
      path: '/api/board/tasks',
      summary: 'Create a task.',
      status: 201,
      refusals: ['not_found', 'conflict', 'limited'],
      params: {},
      body: input.newTask,
      response: taskSchema,
      run: (tx, caller, _params, body) => shown(caller, create(tx, door.board.settings, caller, body)),
    }),
    changeRoute(door, {
      method: 'PATCH',
      path: '/api/board/tasks/:taskId',
      summary: 'Change a task or its status. With override a person may finish it against its checks.',
      refusals: ['not_found', 'conflict', 'stale_fence', 'not_holder'],
      params: oneTask,
      body: {
        ...input.edits,
        status: input.status.optional(),
        override: z
          .object({ reason: input.evidenceSummary })
          .optional()
          .describe('Why the task is done although a required check is not.'),
      },
      response: taskSchema,
      async run(tx, caller, { taskId }, { status, override, ...given }) {
        if (override && status !== 'done')
          throw new HubError('invalid', 'override belongs to the status done.');
        const edits = input.editsOf(given);
        const hasEdits = Object.values(edits).some((value) => value !== undefined);
        // Who may only judge the work changes its status and nothing else.
        const { settings } = door.board;
        const edited =
          hasEdits || status === undefined ? edit(tx, settings, caller, { taskId, ...edits }) : undefined;
        if (status === undefined) return shown(caller, edited!);
        await edited;
        return shown(caller, move(tx, settings, caller, { taskId, to: status, override }));
      },
    }),
    changeRoute(door, {
      method: 'DELETE',
      path: '/api/board/tasks/:taskId',
      summary: 'Take a task off the board. Its history stays.',
      refusals: ['not_found', 'stale_fence', 'not_holder'],
      params: oneTask,
      body: {},
      response: taskSchema,
      run: (tx, caller, { taskId }) => shown(caller, drop(tx, door.board.settings, caller, taskId)),
    }),
  ];
}

function claimRoutes(door: BoardDoor): Route[] {
  return [
    changeRoute(door, {
      method: 'POST',
      path: '/api/board/tasks/:taskId/claim',
      summary: 'Claim a ready todo task for an agent, atomically.',
      refusals: ['not_found', 'conflict'],
      params: oneTask,
      body: { assigneeAgentId: input.agentName.optional(), assigneeRuntime: input.runtime.optional() },
      response: taskSchema,
      isAcquiring: true,
      agentOf: (body) => body.assigneeAgentId,
      run: (tx, caller, { taskId }, body) =>
        shown(caller, claim(tx, door.board.settings, caller, toClaim(caller, taskId, body))),
    }),
    changeRoute(door, {
      method: 'POST',
      path: '/api/board/tasks/:taskId/assign',
      summary: 'Give a ready todo task to an agent; it waits for that agent.',
      refusals: ['not_found', 'conflict'],
      params: oneTask,
      body: { assigneeAgentId: input.agentName, assigneeRuntime: input.runtime.optional() },
      response: taskSchema,
      isAcquiring: true,
      run: (tx, caller, { taskId }, body) =>
        shown(caller, assign(tx, door.board.settings, caller, toClaim(caller, taskId, body))),
    }),
    changeRoute(door, {
      method: 'POST',
      path: '/api/board/claim-next',
      summary: 'Claim the most urgent ready task; task is null when nothing is ready.',
      refusals: [],
      params: {},
      body: {
        assigneeAgentId: input.agentName.optional(),
        assigneeRuntime: input.runtime.optional(),
        teamId: input.teamId.optional(),
      },
      response: z.object({ task: taskSchema.nullable() }),
      isAcquiring: true,
      agentOf: (body) => body.assigneeAgentId,
      async run(tx, caller, _params, { assigneeAgentId, assigneeRuntime, teamId }) {
        const wanted = { agentId: assigneeAgentId ?? requireName(caller), runtime: assigneeRuntime, teamId };
        const task = await claimNext(tx, door.board.settings, caller, wanted);
        return { task: task ? presentTask(task, true) : null };
      },
    }),
    changeRoute(door, {
      method: 'POST',
      path: '/api/board/tasks/:taskId/release',
      summary: 'Give an in_progress task back to todo.',
      refusals: ['not_found', 'conflict', 'stale_fence', 'not_holder'],
      params: oneTask,
      body: {},
      response: taskSchema,
      run: (tx, caller, { taskId }) => shown(caller, release(tx, door.board.settings, caller, taskId)),
    }),
    defineRoute({
      method: 'POST',
      path: '/api/board/tasks/:taskId/heartbeat',
      summary: 'Keep a claim alive.',
      tag: PLACE.tag,
      scope: 'board:write',
      refusals: ['not_found', 'conflict', 'stale_fence', 'not_holder'],
      params: z.object(oneTask),
      // Repeating it is harmless, so its key needs no keeping.
      body: z
        .object({ ...identity, ...once })
        .strict()
        .optional(),
      response: z.object({ taskId: z.string(), fence: z.int(), leaseUntil: z.int().nullable() }),
      async handler({ params, body = {} }, { who }) {
        const { acting, board } = door;
        const call = { ...byRoute(who, 'heartbeat'), agentId: body.agentId, fence: body.fence };
        const beat = await acting.look(call, (q, caller) =>
          heartbeat(q, board.settings, caller, params.taskId),
        );
        return beat ?? acting.change(call, (tx, caller) => board.keepAlive(tx, caller, params.taskId));
      },
    }),
  ];
}

type Claiming = Readonly<{ assigneeAgentId?: string | undefined; assigneeRuntime?: string | undefined }>;

function toClaim(caller: Caller, taskId: string, body: Claiming): ClaimRequest {
  return { taskId, agentId: body.assigneeAgentId ?? requireName(caller), runtime: body.assigneeRuntime };
}
