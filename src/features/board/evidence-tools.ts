import { z } from 'zod';
import { defineTool, type Tool } from '../../mcp/define.ts';
import { byTool } from '../../store/acting.ts';
import { changeTool, type BoardDoor } from './change-tool.ts';
import { addCheck, readEvidence, submitEvidence } from './evidence.ts';
import * as input from './inputs.ts';
import { checkSchema, evidenceSchema } from './task.ts';

/** Beyond the documented list: what must hold before a task is done, and the proof that it does. */
const extended = { profile: 'extended' } as const;

export function evidenceTools(door: BoardDoor): Tool[] {
  return [
    changeTool(door, {
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
      run: (tx, caller, { taskId, title, required = true }) =>
        addCheck(tx, caller, { taskId, title, required }),
    }),
    changeTool(door, {
      ...extended,
      name: 'submit_evidence',
      title: 'Give evidence for a check',
      description:
        'Records whether a check passed, and how one can see it. The newest evidence of a check counts.',
      isRepeatable: false,
      input: {
        taskId: input.taskId,
        checkId: input.taskId.describe('Id of the check, as get_task lists it.'),
        passed: z.boolean(),
        summary: input.evidenceSummary,
        reference: input.evidenceReference.optional(),
      },
      output: evidenceSchema,
      run: (tx, caller, args) => submitEvidence(tx, door.board.settings, caller, args),
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
        value: {
          evidence: await door.acting.look(byTool(who, 'list_evidence'), (q) =>
            readEvidence(q, who, taskId, limit),
          ),
        },
      }),
    }),
  ];
}
