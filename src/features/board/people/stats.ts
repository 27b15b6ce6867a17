import { z } from 'zod';
import { dayOf } from '../../../kernel/day.ts';
import { type FinishedTask, listFinished } from '../rows/stats.ts';
import type { BoardSight } from '../unit.ts';

const part = z.object({ name: z.string().nullable(), done: z.int(), costUsd: z.number() });

export const statsSchema = z.object({
  since: z.int(),
  done: z.int(),
  cancelled: z.int(),
  costUsd: z.number(),
  leadMs: z.int().nullable().describe('Median time from creation to done.'),
  workMs: z.int().nullable().describe('Median time from the last claim to done.'),
  byDay: z.array(z.object({ day: z.string(), done: z.int() })).describe('Days in UTC, oldest first.'),
  byAgent: z.array(part),
  byTeam: z.array(part),
  isCut: z.boolean().describe('There was more than could be counted; the newest were.'),
});
export type BoardStats = z.infer<typeof statsSchema>;

const MOST_COUNTED = 20_000;
const MONTH = 30 * 86_400_000;

type Span = Readonly<{ since?: number | undefined; teamId?: string | undefined }>;

/** The last 30 days, unless asked otherwise. */
export async function readStats(
  { q, caller, now, costsOfRuns }: BoardSight,
  asked: Span,
): Promise<BoardStats> {
  const { since = now - MONTH, teamId } = asked;
  const wanted = { since, teamId: caller.who.bound.team ?? teamId, limit: MOST_COUNTED + 1 };
  const found = await listFinished(q, wanted, costsOfRuns);
  return { ...addUp(found.slice(0, MOST_COUNTED), since), isCut: found.length > MOST_COUNTED };
}

/** Pure: what finished tasks add up to. */
export function addUp(tasks: readonly FinishedTask[], since: number): Omit<BoardStats, 'isCut'> {
  const done = tasks.filter(({ status }) => status === 'done');
  const days = Map.groupBy(done, ({ completedAt }) => dayOf(completedAt));
  return {
    since,
    done: done.length,
    cancelled: tasks.length - done.length,
    costUsd: costOf(tasks),
    leadMs: median(done.map(({ completedAt, createdAt }) => completedAt - createdAt)),
    workMs: median(
      done.flatMap(({ completedAt, claimedAt }) => (claimedAt === null ? [] : [completedAt - claimedAt])),
    ),
    byDay: [...days].map(([day, of]) => ({ day, done: of.length })).sort((a, b) => (a.day < b.day ? -1 : 1)),
    byAgent: partsOf(tasks, ({ assigneeAgentId }) => assigneeAgentId),
    byTeam: partsOf(tasks, ({ teamId }) => teamId),
  };
}

function partsOf(
  tasks: readonly FinishedTask[],
  nameOf: (task: FinishedTask) => string | null,
): z.infer<typeof part>[] {
  return [...Map.groupBy(tasks, nameOf)]
    .map(([name, of]) => ({
      name,
      done: of.filter(({ status }) => status === 'done').length,
      costUsd: costOf(of),
    }))
    .sort((a, b) => b.done - a.done || b.costUsd - a.costUsd);
}

/** To the millionth of a dollar: sums of fractions end in noise. */
function costOf(tasks: readonly FinishedTask[]): number {
  return Math.round(tasks.reduce((sum, { costUsd }) => sum + costUsd, 0) * 1e6) / 1e6;
}

function median(values: readonly number[]): number | null {
  if (values.length === 0) return null;
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : Math.round((sorted[middle - 1]! + sorted[middle]!) / 2);
}
