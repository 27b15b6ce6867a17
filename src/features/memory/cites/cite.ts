// The words of citations: what is kept of one, and what a caller is shown.
import { z } from 'zod';
import type { FileSketch, SpanPrint } from './print.ts';

const STATES = ['fresh', 'moved', 'changed', 'gone', 'unknown'] as const;

const place = { path: z.string(), from: z.int(), to: z.int() };

export const citeSchema = z.object({
  ...place,
  state: z
    .enum(STATES)
    .describe(
      'Whether what it cites still stands there, in the files of who asks. Check changed and gone ones.',
    ),
  now: z.object(place).optional().describe('Where it stands now, if elsewhere and known.'),
});
export type Cite = z.infer<typeof citeSchema>;

/** As it is kept, in the row of its fact. */
export type StoredCite = Readonly<{
  path: string;
  from: number;
  to: number;
  /** What was checked out. */
  commit?: string | undefined;
  /** The project it is of: its team, or where no project is known, what its working copies have in common. Absent: nobody could look. */
  of?: string | undefined;
  print?: SpanPrint | undefined;
  /** Of the whole file: alone for a path without lines. */
  sketch?: FileSketch | undefined;
}>;

/** A changed or gone one says that the fact may be wrong. */
export function isDoubtful({ state }: Pick<Cite, 'state'>): boolean {
  return state === 'changed' || state === 'gone';
}
