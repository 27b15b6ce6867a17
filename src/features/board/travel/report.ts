import { z } from 'zod';

const stamp = z.tuple([z.unknown(), z.int(), z.string()]);

/** What a sync did, for the person who asked for it. */
export const syncReportSchema = z.object({
  created: z.int(),
  changed: z.int(),
  dropped: z.int(),
  aside: z.int().describe('Tasks of the file that its person took back with undo: they stay off this board.'),
  overruled: z
    .array(z.object({ id: z.string(), title: z.string(), field: z.string(), lost: stamp, won: stamp }))
    .describe('What somebody said, and somebody else said later.'),
  kept: z
    .array(z.object({ id: z.string(), title: z.string(), field: z.string(), why: z.string() }))
    .describe('What the file says and the board here does not follow.'),
  left: z.array(z.string()).describe('Ids whose lines are nothing to this board: keep them as they are.'),
  problems: z.array(z.object({ line: z.int().describe('The first is 1.'), problem: z.string() })),
});
export type SyncReport = z.infer<typeof syncReportSchema>;

export function emptyReport(): SyncReport {
  return { created: 0, changed: 0, dropped: 0, aside: 0, overruled: [], kept: [], left: [], problems: [] };
}
