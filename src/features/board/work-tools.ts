import { z } from 'zod';
import { defineTool, type Tool } from '../../mcp/define.ts';
import { byTool } from '../../store/acting.ts';
import { changeTool, type BoardDoor } from './change-tool.ts';
import { claimNext, heartbeat } from './claims.ts';
import { edit } from './creation.ts';
import { unlink } from './dependencies.ts';
import { identity, once } from '../../operation/identity.ts';
import * as input from './inputs.ts';
import { shown } from './reading.ts';
import { requireName } from './refusals.ts';
import { linkSchema, presentTask, taskSchema } from './task.ts';

/** Beyond the documented list: finding work, keeping it, changing what it says. Shown in the extended profile. */
const extended = { profile: 'extended' } as const;

export function workTools(door: BoardDoor): Tool[] {
  return [
    changeTool(door, {
      ...extended,
      name: 'claim_next_task',
      carries: ['title', 'description', 'body', 'reason'],
      title: 'Claim the next task',
      description:
        'Finds the most urgent ready task and claims it for you, atomically. Waiting adds to urgency, so nothing starves. task is null when nothing is ready.',
      isRepeatable: false,
      input: {
        assigneeAgentId: input.agentName
          .optional()
          .describe('Agent that will do the work, when your connection does not say.'),
        assigneeRuntime: input.runtime.optional().describe('Passes over tasks meant for another runtime.'),
        teamId: input.teamId.optional().describe('Only tasks of this team.'),
      },
      output: z.object({ task: taskSchema.nullable() }),
      agentOf: ({ assigneeAgentId }) => assigneeAgentId,
      async run(tx, caller, { assigneeRuntime, teamId }) {
        const wanted = { agentId: requireName(caller), runtime: assigneeRuntime, teamId };
        const task = await claimNext(tx, door.board.settings, caller, wanted);
        return { task: task ? presentTask(task, true) : null };
      },
    }),
    defineTool({
      ...extended,
      name: 'heartbeat_task',
      title: 'Keep a claim alive',
      description:
        'Says that you are still working on a task you hold. Every other call of yours does the same.',
      annotations: {
        readOnlyHint: false,
        destructiveHint: false,
        idempotentHint: true,
        openWorldHint: false,
      },
      scope: 'board:write',
      effect: 'state',
      input: z.object({ taskId: input.taskId, ...identity, ...once }),
      output: z.object({ taskId: z.string(), fence: z.int(), leaseUntil: z.int().nullable() }),
      // Repeating it is harmless, so its key needs no keeping.
      async handler({ taskId, agentId, fence }, { who }) {
        const { acting, board } = door;
        const call = { ...byTool(who, 'heartbeat_task'), agentId, fence };
        const beat = await acting.look(call, (q, caller) => heartbeat(q, board.settings, caller, taskId));
        return {
          ok: true,
          value: beat ?? (await acting.change(call, (tx, caller) => board.keepAlive(tx, caller, taskId))),
        };
      },
    }),
    changeTool(door, {
      ...extended,
      name: 'update_task',
      title: 'Edit a task',
      description: 'Changes texts, priority, branch, worktree or cost. New texts ask for new evidence.',
      isRepeatable: true,
      input: { taskId: input.taskId, ...input.edits },
      output: taskSchema,
      run: (tx, caller, { taskId, ...given }) =>
        shown(caller, edit(tx, door.board.settings, caller, { taskId, ...input.editsOf(given) })),
    }),
    changeTool(door, {
      ...extended,
      name: 'unlink_task',
      title: 'Remove a dependency',
      description: 'taskId no longer waits for dependsOnTaskId.',
      isRepeatable: false,
      input: { taskId: input.taskId, dependsOnTaskId: input.taskId.describe('Id of the task it waits for.') },
      output: linkSchema,
      run: (tx, caller, args) => unlink(tx, caller, args),
    }),
  ];
}
