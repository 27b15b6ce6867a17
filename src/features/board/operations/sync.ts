// A board that travels in a file of lines.
import { z } from 'zod';
import { work } from '../../../operation/operation.ts';
import * as input from '../inputs.ts';
import { syncReportSchema } from '../travel/report.ts';
import type { BoardSync } from '../travel/sync.ts';
import { read, write } from './tasks.ts';

const person = input.agentName
  .optional()
  .describe('What the person at this hub is called in the file, such as their name in git.');

const syncBoard = work({
  ...write,
  name: 'sync_board',
  summary:
    'Take the lines of a board that travels: the newest of each field counts. Parents come before their children, and all lines of one task in one request.',
  effect: 'state',
  input: {
    teamId: input.teamId,
    lines: z.array(z.string()).max(5_000),
    sync: input.agentName.optional().describe('The same for every request of one sync.'),
    more: z.boolean().optional().describe('More requests follow.'),
    trust: z
      .boolean()
      .optional()
      .describe('New tasks are work at once, and nothing is marked as foreign or kept back.'),
    person,
    again: z.boolean().optional().describe('Take also what was taken back with undo.'),
    from: z.string().min(1).max(500).optional().describe('What a person calls the file.'),
    dryRun: z.boolean().optional().describe('Say what would happen, and change nothing.'),
  },
  output: syncReportSchema,
  refusals: ['forbidden'],
  route: 'POST /api/board/sync',
  run: (sync: BoardSync, given, { who, command }) => sync.take(who, given, command),
});

const syncedLines = work({
  ...read,
  name: 'synced_lines',
  summary: 'The lines of a board that travels, by id, a page at a time.',
  effect: 'read',
  input: {
    teamId: input.teamId,
    after: input.taskId.optional().describe('nextAfter of the page before.'),
    person,
  },
  output: z.object({ lines: z.array(z.string()), nextAfter: z.string().optional() }),
  refusals: ['forbidden'],
  route: 'GET /api/board/sync',
  run: (sync: BoardSync, given, { who }) => sync.page(who, given),
});

export const syncOperations = [syncBoard, syncedLines] as const;
