// Tasks of the board done by runs, over REST: begin, look at the diff, merge, resume.
import { z } from 'zod';
import { work } from '../../../operation/operation.ts';
import { callOf } from '../../../store/calls.ts';
import * as input from '../inputs.ts';
import { presentRun, runSchema } from '../run.ts';
import type { Orders } from '../start/orders.ts';
import { trialSchema } from '../trial/view.ts';
import type { Trials } from '../trial/trials.ts';
import { begunSchema, type BoardWork } from './work.ts';

export type Bench = Readonly<{ orders: Orders; work: BoardWork; trials: Trials }>;

const read = { scope: 'runs:read', effect: 'read', refusals: ['not_found', 'conflict'] } as const;
const write = { scope: 'runs:write', effect: 'state', refusals: ['not_found', 'conflict'] } as const;
const oneRun = { taskId: input.taskId };

const runTask = work({
  ...write,
  name: 'run_task',
  summary: 'Have a task of the board done by an agent: the one named, else the best ready one.',
  input: {
    task_id: input.taskId.optional().describe('Of the board.'),
    instance: z.string().max(64).optional(),
    team: z.string().max(200).optional(),
    project: z.string().max(4096).optional().describe('A folder of the repository it is done in.'),
    model: z.string().max(128).optional(),
  },
  output: begunSchema,
  route: 'POST /v1/runs',
  run: ({ orders }: Bench, { task_id: taskId, ...rest }, context) =>
    orders.runTask(callOf(context, 'run_task'), { taskId, ...rest }, context),
});

const resumeRun = work({
  ...write,
  name: 'resume_run',
  summary:
    "Go on with the agent's session of a run that is over, where it was left. A task that is done or in review is under way again.",
  input: {
    ...oneRun,
    prompt: z
      .string()
      .max(64 * 1024)
      .optional(),
  },
  output: runSchema,
  route: 'POST /v1/biam/tasks/:taskId/resume',
  run: async (bench: Bench, { taskId, prompt }, context) =>
    presentRun(await bench.work.resume(callOf(context, 'resume_run'), taskId, prompt)),
});

const diffRun = work({
  ...read,
  name: 'diff_run',
  summary: 'What a run changed in its worktree, committed or not.',
  input: oneRun,
  output: z.object({ branch: z.string(), stat: z.string(), diff: z.string() }),
  route: 'GET /v1/biam/tasks/:taskId/diff',
  run: (bench: Bench, { taskId }, context) => bench.work.diff(callOf(context, 'diff_run'), taskId),
});

const mergeRun = work({
  ...write,
  name: 'merge_run',
  summary:
    "Merges a run's branch into the one its repository has checked out. Conflicts are named and nothing is changed.",
  input: {
    ...oneRun,
    head: z.string().max(64).optional().describe('The commit that was looked at: no other one is merged.'),
    into: z
      .string()
      .max(1024)
      .optional()
      .describe('The branch it is to go into: nothing is merged while another is checked out.'),
  },
  output: z.object({
    branch: z.string(),
    merged: z.boolean(),
    into: z.string(),
    conflicts: z.array(z.string()),
  }),
  route: 'POST /v1/biam/tasks/:taskId/merge',
  async run(bench: Bench, { taskId, ...seen }, context) {
    const { conflicts, ...rest } = await bench.work.merge(callOf(context, 'merge_run'), taskId, seen);
    return { ...rest, conflicts: [...conflicts] };
  },
});

const startTrial = work({
  ...write,
  refusals: [...write.refusals, 'invalid', 'forbidden'],
  name: 'start_trial',
  summary: 'Have a task of the board tried by several agents side by side, each in a worktree of its own.',
  input: {
    task_id: input.taskId.describe('Of the board.'),
    instances: z.array(z.string().min(1).max(64)).min(2).max(8),
    project: z.string().max(4096).optional().describe('A folder of the repository it is done in.'),
    model: z.string().max(128).optional(),
  },
  output: trialSchema,
  route: 'POST /v1/trials',
  run: ({ trials }: Bench, { task_id: taskId, ...rest }, context) =>
    trials.start(callOf(context, 'start_trial'), { taskId, ...rest }),
});

const getTrial = work({
  ...read,
  refusals: [...read.refusals, 'forbidden'],
  name: 'get_trial',
  summary: 'The attempts of a trial: checks, diff, cost and time of each.',
  input: { trialId: input.taskId },
  output: trialSchema,
  route: 'GET /v1/trials/:trialId',
  run: ({ trials }: Bench, { trialId }, context) => trials.get(callOf(context, 'get_trial'), trialId),
});

const listTrials = work({
  ...read,
  refusals: [...read.refusals, 'forbidden'],
  name: 'list_trials',
  summary: 'The trials of a task of the board, newest first.',
  input: { task_id: input.taskId },
  output: z.object({ trials: z.array(trialSchema) }),
  route: 'GET /v1/trials',
  run: async ({ trials }: Bench, { task_id: taskId }, context) => ({
    trials: await trials.list(callOf(context, 'list_trials'), taskId),
  }),
});

const pickRun = work({
  ...write,
  refusals: [...write.refusals, 'invalid', 'forbidden'],
  name: 'pick_run',
  summary:
    'Of several attempts this one counts: its branch is the branch of the task. The others go after a day.',
  input: oneRun,
  output: trialSchema,
  route: 'POST /v1/biam/tasks/:taskId/pick',
  run: ({ trials }: Bench, { taskId }, context) => trials.pick(callOf(context, 'pick_run'), taskId),
});

export const workOperations = [
  runTask,
  resumeRun,
  diffRun,
  mergeRun,
  startTrial,
  getTrial,
  listTrials,
  pickRun,
] as const;
