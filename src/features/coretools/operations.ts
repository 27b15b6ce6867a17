import { z } from 'zod';
import { look } from '../../operation/operation.ts';
import type { NoteView } from './notes.ts';

const listNotes = look({
  name: 'list_notes',
  summary: 'Notes that agents stored with the note tool, newest first.',
  scope: 'tools:read',
  input: {
    limit: z.int().min(1).max(1_000).optional(),
    cursor: z.string().min(1).max(100).optional(),
  },
  output: z.object({
    ok: z.literal(true),
    notes: z.array(
      z.object({ id: z.string(), note: z.string(), agentId: z.string().nullable(), createdAt: z.int() }),
    ),
    nextCursor: z.string().nullable(),
  }),
  route: 'GET /api/tools/notes',
  run: async (view: NoteView, page) => ({ ok: true as const, ...(await view.list(page)) }),
});

export const noteOperations = [listNotes] as const;
