// Who does a task: taking it, giving it, keeping it and giving it back.
import { z } from 'zod';
import { change, work } from '../../../operation/operation.ts';
import type { Board, BoardDesk } from '../board.ts';
import * as input from '../inputs.ts';
import { narrowing, taskSchema, WORDS } from '../task.ts';
import { told, write } from './tasks.ts';

const claiming = {
  taskId: input.taskId,
  assigneeAgentId: input.agentName
    .optional()
    .describe('Agent that will do the work; you, when your connection says who you are.'),
  assigneeRuntime: input.runtime.optional(),
  ...told,
};

type Claiming = Readonly<{ assigneeAgentId?: string | undefined; assigneeRuntime?: string | undefined }>;
const wantedBy = ({ assigneeAgentId, assigneeRuntime }: Claiming) => ({
  agentId: assigneeAgentId,
  runtime: assigneeRuntime,
});

export const claimTask = change({
  ...write,
  name: 'claim_task',
  summary: 'Claim a ready todo task for an agent, atomically.',
  input: claiming,
  output: taskSchema,
  refusals: ['not_found', 'conflict'],
  tool: {
    title: 'Claim a task',
    description:
      'Takes a ready todo task, atomically. A conflict means somebody else won: do not retry. Answers the task with your fence.',
    carries: WORDS,
    requiredUnlessKnown: ['assigneeAgentId'],
  },
  route: 'POST /api/board/tasks/:taskId/claim',
  isAcquiring: true,
  agentOf: ({ assigneeAgentId }) => assigneeAgentId,
  run: (desk: BoardDesk, args) => desk.claim({ taskId: args.taskId, ...wantedBy(args) }),
});

const assigning = {
  ...write,
  name: 'assign_task',
  summary: 'Give a ready todo task to an agent; it waits for that agent.',
  output: taskSchema,
  refusals: ['not_found', 'conflict'],
  isAcquiring: true,
} as const;

export const assignTask = change({
  ...assigning,
  input: claiming,
  tool: {
    title: 'Assign a task',
    description:
      'Gives a ready todo task to an agent, as atomically as claim_task and with the same conflict. It waits for that agent, who holds it from its first call on.',
    carries: WORDS,
    requiredUnlessKnown: ['assigneeAgentId'],
  },
  run: (desk: BoardDesk, args) => desk.assign({ taskId: args.taskId, ...wantedBy(args) }),
});

/** A script says to whom. */
export const assignTaskTo = change({
  ...assigning,
  input: { ...claiming, assigneeAgentId: input.agentName },
  route: 'POST /api/board/tasks/:taskId/assign',
  run: (desk: BoardDesk, args) => desk.assign({ taskId: args.taskId, ...wantedBy(args) }),
});

export const releaseTask = change({
  ...write,
  name: 'release_task',
  summary: 'Give an in_progress task back to todo.',
  input: { taskId: input.taskId, ...told },
  output: taskSchema,
  refusals: ['not_found', 'conflict', 'stale_fence', 'not_holder'],
  tool: {
    title: 'Release a task',
    description: 'Gives an in_progress task back: it returns to todo with no assignee.',
    carries: WORDS,
  },
  route: 'POST /api/board/tasks/:taskId/release',
  run: (desk: BoardDesk, { taskId }) => desk.release(taskId),
});

export const claimNextTask = change({
  ...write,
  name: 'claim_next_task',
  summary: 'Claim the most urgent ready task; task is null when nothing is ready.',
  input: {
    assigneeAgentId: input.agentName
      .optional()
      .describe('Agent that will do the work, when your connection does not say.'),
    assigneeRuntime: input.runtime.optional().describe('Passes over tasks meant for another runtime.'),
    teamId: input.teamId.optional().describe('Only tasks of this team.'),
    orNone: narrowing.orNone,
    ...told,
  },
  onlyRoute: ['orNone'],
  output: z.object({ task: taskSchema.nullable() }),
  tool: {
    title: 'Claim the next task',
    description:
      'Finds the most urgent ready task and claims it for you, atomically. Waiting adds to urgency, so nothing starves. task is null when nothing is ready.',
    carries: WORDS,
    profile: 'extended',
  },
  route: 'POST /api/board/claim-next',
  isAcquiring: true,
  agentOf: ({ assigneeAgentId }) => assigneeAgentId,
  run: async (desk: BoardDesk, args) => ({
    task: await desk.claimNext({ teamId: args.teamId, orNone: args.orNone, ...wantedBy(args) }),
  }),
});

/** Repeating it is harmless, so its key needs no keeping. */
export const heartbeatTask = work({
  ...write,
  name: 'heartbeat_task',
  summary: 'Keep a claim alive.',
  effect: 'state',
  input: { taskId: input.taskId, ...told },
  output: z.object({ taskId: z.string(), fence: z.int(), leaseUntil: z.int().nullable() }),
  refusals: ['not_found', 'conflict', 'stale_fence', 'not_holder'],
  tool: {
    title: 'Keep a claim alive',
    description:
      'Says that you are still working on a task you hold. Every other call of yours does the same.',
    isRepeatable: true,
    profile: 'extended',
  },
  route: 'POST /api/board/tasks/:taskId/heartbeat',
  run: (board: Board, { taskId, agentId, fence }, { who, via }) =>
    board.heartbeat({ who, via, name: 'heartbeat_task', agentId, fence }, taskId),
});
