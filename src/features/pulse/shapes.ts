// How the days went, in numbers: what each room counts of itself, and what the page draws of it.
import { z } from 'zod';
import type { Query } from '../../store/database.ts';
import type { Sql } from '../../store/sql.ts';

const day = z.int().describe('Days since 1970, by the clock of who asks.');
const ms = z.int().nullable().describe('Half took longer; null where there were none.');

const parts = {
  finished: z.array(z.object({ day, done: z.int(), leadMs: ms })).describe('Tasks that got done.'),
  spent: z
    .array(
      z.object({
        day,
        agent: z.string(),
        project: z.string(),
        runs: z.int(),
        costUsd: z.number(),
        tokens: z.int(),
      }),
    )
    .describe('Of runs, by the day they began.'),
  waited: z
    .array(z.object({ day, asked: z.int(), expired: z.int(), waitMs: ms }))
    .describe('Requests for permission.'),
  lanes: z
    .array(
      z.object({
        agent: z.string(),
        task: z.string(),
        from: z.int(),
        to: z.int().nullable().describe('Null: goes on.'),
        end: z.string().nullable(),
      }),
    )
    .describe('Claims of the last day.'),
  calls: z
    .array(z.object({ day, calls: z.int(), refused: z.int(), failed: z.int() }))
    .describe('Governed calls.'),
  remembered: z
    .array(
      z.object({
        day,
        saved: z.int(),
        retired: z.int(),
        given: z
          .int()
          .describe('Each fact once for each who was given it, on the last day; two weeks are kept.'),
      }),
    )
    .describe('Facts that came, that do not hold any more, and that were made use of.'),
  credit: z
    .array(
      z.object({
        day,
        helped: z.int(),
        failed: z.int(),
        mean: z.number().describe('Of what changed that day.'),
      }),
    )
    .describe('Files of the brain that gained credit or lost some.'),
  landed: z
    .array(z.object({ day, landed: z.int(), failed: z.int(), batches: z.int(), waitMs: ms }))
    .describe('What reached its target, or did not.'),
};

export const pulseSchema = z.object({
  first: day,
  days: z.int(),
  now: z.int(),
  ...parts,
});
export type Pulse = z.infer<typeof pulseSchema>;
type PulseParts = Omit<Pulse, 'first' | 'days' | 'now'>;

export type PulseSpan = Readonly<{
  since: number;
  now: number;
  /** Only of this project. */
  team: string | undefined;
  /** The day of a moment, as a number. */
  day(column: Sql): Sql;
}>;

/** What one room counts; of what is not its own it says nothing. */
export type AskPulse = (q: Query, span: PulseSpan) => Promise<Partial<PulseParts>>;

export const NOTHING: PulseParts = {
  finished: [],
  spent: [],
  waited: [],
  lanes: [],
  calls: [],
  remembered: [],
  credit: [],
  landed: [],
};
