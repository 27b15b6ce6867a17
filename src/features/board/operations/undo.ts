// Taking back what a command changed.
import { z } from 'zod';
import { look, work } from '../../../operation/operation.ts';
import * as input from '../inputs.ts';
import type { People, PeopleView } from '../people/people.ts';
import { taskSchema } from '../task.ts';
import { read, told, write } from './tasks.ts';

const takenBack = z.object({
  task: taskSchema,
  what: z.string().describe('The operation that was taken back, such as update_task.'),
  at: z.int(),
  lost: z.literal('claim').optional().describe('The claim that the change had ended is not restored.'),
});

export const undo = work({
  ...write,
  name: 'undo',
  summary:
    "Take back all that the caller's last command changed on the board, but for tasks that somebody has changed since. Persons only.",
  effect: 'state',
  input: {
    ...told,
    command: input.taskId
      .optional()
      .describe('The one that was shown (list_undos): refused when it is not the last one any more.'),
  },
  output: takenBack.extend({
    undone: z
      .array(takenBack)
      .describe('What was taken back, the first hundred; the first of all stands beside it, too.'),
    total: z.int().describe('How many changes were taken back.'),
    refused: z
      .array(z.object({ taskId: z.string(), what: z.string(), why: z.string() }))
      .describe('What stays as it is, the first hundred.'),
    stayed: z.int().describe('How many stay as they are.'),
  }),
  refusals: ['not_found', 'conflict', 'forbidden'],
  route: 'PUT /api/board/undone',
  run: (people: People, args, { who, via }) =>
    people.undo({ who, via, name: 'undo', args, agentId: args.agentId, fence: args.fence }, args.command),
});

export const listUndos = look({
  ...read,
  name: 'list_undos',
  summary: 'What the caller could take back, newest first: each command with all that it changed.',
  input: { limit: z.int().min(1).max(100).optional().describe('20 unless given.') },
  output: z.object({
    commands: z.array(
      z.object({
        command: z.string(),
        at: z.int(),
        source: z.string().nullable().describe('The file that it took its tasks from.'),
        total: z.int().describe('How many changes it made.'),
        added: z.int().describe('How many of them were new tasks.'),
        changes: z
          .array(
            z.object({
              taskId: z.string(),
              title: z.string(),
              teamId: z.string().nullable(),
              what: z.string(),
            }),
          )
          .describe('The newest hundred.'),
      }),
    ),
  }),
  refusals: ['forbidden'],
  route: 'GET /api/board/undos',
  run: async (view: PeopleView, args) => ({ commands: await view.undos(args.limit) }),
});
