import { z } from 'zod';
import { byTool } from '../../../store/acting.ts';
import { defineWorldTool, type WorldTool } from '../../broker/broker.ts';
import * as input from '../inputs.ts';
import { presentRun, runSchema } from '../run.ts';
import type { BoardWork } from './work.ts';

/** Handing a task of the board to an agent is governed as SendMessage is. */
export function runTaskTool(work: BoardWork): WorldTool {
  return defineWorldTool({
    name: 'RunTask',
    title: 'Have a board task done',
    description:
      'Starts an agent on a task of the board, claimed under the name of its run, in a git worktree of the project. Without taskId: the ' +
      'best ready task. Answers the run at once; started is false when nothing was ready.',
    input: z.object({
      taskId: input.taskId.optional(),
      instance: z.string().max(64).optional(),
      teamId: z.string().max(200).optional(),
      project: z.string().max(4096).optional().describe('A folder of the repository it is done in.'),
    }),
    output: z.object({ started: z.boolean(), task: runSchema.optional() }),
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    scope: 'runs:write',
    source: 'dispatch',
    risk: 'destructive',
    shape: ({ instance, project, teamId }) => ({
      instance: instance ?? 'default',
      project: project ?? 'none',
      ...(teamId !== undefined && { team: teamId }),
      task: 'any',
    }),
    handler: async ({ teamId: team, ...request }, { who }) => {
      const run = await work.start(byTool(who, 'RunTask'), { ...request, team });
      if (!run) return { ok: true, value: { started: false } };
      return { ok: true, value: { started: true, task: presentRun(run) }, task: run.id };
    },
  });
}
