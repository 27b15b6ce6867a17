// The whole board out and in.
import { z } from 'zod';
import { work } from '../../../operation/operation.ts';
import type { BoardTransfer } from '../transfer/transfer.ts';
import { importReport, recordSchema } from '../transfer/line.ts';
import { read, write } from './tasks.ts';

const exportBoard = work({
  ...read,
  name: 'export_board',
  summary: 'Export the board, a page at a time; write each record as one line of JSON.',
  effect: 'read',
  input: { cursor: z.string().min(1).max(2_000).optional() },
  output: z.object({ records: z.array(recordSchema), nextCursor: z.string().optional() }),
  route: 'GET /api/board/archive',
  run: (transfer: BoardTransfer, { cursor }, { who }) => transfer.page(who, cursor),
});

const importBoard = work({
  ...write,
  name: 'import_board',
  summary:
    'Import lines of an export. Known records are left alone; broken lines are reported by number, the rest is kept. A person can take it back.',
  effect: 'state',
  input: {
    lines: z.array(z.string()).max(5_000),
    import: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('The same for every request of one import; without it the request is a whole one.'),
    more: z
      .boolean()
      .optional()
      .describe('More requests follow: nobody can claim what came until the last one is in.'),
    update: z
      .boolean()
      .optional()
      .describe(
        'The lines are what another tool has: what changed there since the last time changes here, too.',
      ),
    from: z.string().min(1).max(500).optional().describe('What a person calls their source: todo.md.'),
  },
  output: importReport,
  route: 'POST /api/board/archive',
  run: (transfer: BoardTransfer, given, { who, command }) => transfer.take(who, given, command),
});

export const transferOperations = [exportBoard, importBoard] as const;
