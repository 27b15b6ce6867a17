import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import { defineTool, type Tool } from '../../mcp/define.ts';
import type { Board } from './board.ts';
import { changeTool } from './change-tool.ts';
import type { Desk } from './desk.ts';
import * as input from './inputs.ts';
import { checkSchema, evidenceSchema, linkSchema, taskSchema } from './task.ts';

/** What we built beyond the documented list; shown to callers of the extended profile. */
const extended = { profile: 'extended' } as const;

export function extendedTools(desk: Desk, board: Board): Tool[] {
  return [...workTools(desk, board), ...evidenceTools(desk, board)];
}

function workTools(desk: Desk, board: Board): Tool[] {
  return [
    changeTool(desk, {
      ...extended,
      name: 'claim_next_task',
      carries: ['title', 'description', 'body', 'reason'],
      title: 'Claim the next task',
      description:
        'Finds the most urgent ready task and claims it for you, atomically. Waiting adds to urgency, so nothing starves. task is null when nothing is ready.',
      isRepeatable: false,
      input: {
        assigneeAgentId: input.agentName.optional().describe('Agent that will do the work, when your connection does not say.'),
        assigneeRuntime: input.runtime.optional().describe('Passes over tasks meant for another runtime.'),
        teamId: input.teamId.optional().describe('Only tasks of this team.'),
      },
      output: z.object({ task: taskSchema.nullable() }),
      agentOf: ({ assigneeAgentId }) => assigneeAgentId,
      async run(tx, caller, { assigneeRuntime, teamId }) {
        if (caller.agent === undefined) throw unnamed();
        const task = await board.claimNext(tx, caller, { agentId: caller.agent, runtime: assigneeRuntime, teamId });
        return { task: task ?? null };
      },
    }),
    defineTool({
      ...extended,
      name: 'heartbeat_task',
      title: 'Keep a claim alive',
      description: 'Says that you are still working on a task you hold. Every other call of yours does the same.',
      annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      scope: 'board:write',
      effect: 'state',
      input: z.object({ taskId: input.taskId, ...input.identity, ...input.once }),
      output: z.object({ taskId: z.string(), fence: z.int(), leaseUntil: z.int().nullable() }),
      // Repeating it is harmless, so its key needs no keeping.
      handler: async ({ taskId, agentId, fence }, { who }) => ({
        ok: true,
        value: await desk.look(who, { agentId, fence }, (q, caller) => board.heartbeat(q, caller, taskId)),
      }),
    }),
    changeTool(desk, {
      ...extended,
      name: 'update_task',
      title: 'Edit a task',
      description: 'Changes title, description or priority. A new title or description asks for new evidence.',
      isRepeatable: true,
      input: { taskId: input.taskId, ...input.edits },
      output: taskSchema,
      run: (tx, caller, { taskId, title, description, priority }) => board.edit(tx, caller, taskId, { title, description, priority }),
    }),
    changeTool(desk, {
      ...extended,
      name: 'unlink_task',
      title: 'Remove a dependency',
      description: 'taskId no longer waits for dependsOnTaskId.',
      isRepeatable: false,
      input: { taskId: input.taskId, dependsOnTaskId: input.taskId.describe('Id of the task it waits for.') },
      output: linkSchema,
      run: (tx, caller, args) => board.unlink(tx, caller, args),
    }),
  ];
}

function evidenceTools(desk: Desk, board: Board): Tool[] {
  return [
    changeTool(desk, {
      ...extended,
      name: 'add_check',
      title: 'Add an acceptance check',
      description:
        'Says what must hold before the task counts as done. A required check needs passing evidence newer than the last change.',
      isRepeatable: false,
      input: {
        taskId: input.taskId,
        title: input.checkTitle,
        required: z.boolean().optional().describe('true unless given.'),
      },
      output: checkSchema,
      run: (tx, caller, { taskId, title, required = true }) => board.addCheck(tx, caller, { taskId, title, required }),
    }),
    changeTool(desk, {
      ...extended,
      name: 'submit_evidence',
      title: 'Give evidence for a check',
      description: 'Records whether a check passed, and how one can see it. The newest evidence of a check counts.',
      isRepeatable: false,
      input: {
        taskId: input.taskId,
        checkId: input.taskId.describe('Id of the check, as get_task lists it.'),
        passed: z.boolean(),
        summary: input.evidenceSummary,
        reference: input.evidenceReference.optional(),
      },
      output: evidenceSchema,
      run: (tx, caller, args) => board.submitEvidence(tx, caller, args),
    }),
    defineTool({
      ...extended,
      name: 'list_evidence',
      carries: ['title', 'summary', 'reference'],
      title: 'List evidence',
      description: 'The evidence given for a task, newest first.',
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
      scope: 'board:read',
      effect: 'read',
      input: z.object({ taskId: input.taskId, limit: input.limit.optional().describe('100 unless given.') }),
      output: z.object({ evidence: z.array(evidenceSchema) }),
      handler: async ({ taskId, limit = 100 }, { who }) => ({
        ok: true,
        value: { evidence: await desk.look(who, {}, (q) => board.evidence(q, who, taskId, limit)) },
      }),
    }),
  ];
}

function unnamed(): HubError {
  return new HubError('invalid', 'assigneeAgentId is needed: this connection does not say who you are.', {
    hint: 'Call again with assigneeAgentId.',
  });
}
