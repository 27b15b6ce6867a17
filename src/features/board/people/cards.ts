import { z } from 'zod';
import { listForCards, readMarks, type CardFilter } from '../rows/cards.ts';
import { mayKnowFence, nextStatuses } from '../rules.ts';
import { instant, status, STATUSES, summarySchema } from '../task.ts';
import type { BoardSight } from '../unit.ts';
import { withSigns } from '../work/find.ts';
import { turnOf } from './places.ts';

/** Tasks as a board draws them: with what they wait for, how far their checks are and how much was said. */
const cardSchema = summarySchema.extend({
  claimedAt: instant.nullable(),
  completedAt: instant.nullable(),
  branchRef: z.string().nullable(),
  costUsd: z.number().describe('Told of the task, or by its runs: the larger one.'),
  awaited: z.boolean().describe('Assigned, and not taken up by its assignee yet.'),
  dependsOn: z.array(z.string()),
  checks: z.object({ total: z.int(), satisfied: z.int() }).nullable(),
  comments: z.int(),
  labels: z.array(z.string()),
  place: z.string().describe('Cards of a column stand in the order of their places.'),
});
export type Card = z.infer<typeof cardSchema>;

export const cardPageSchema = z.object({
  cards: z.array(cardSchema),
  gone: z.array(z.string()).describe('Of the ids asked for: those that are not on the board.'),
  next: z.string().optional().describe('after of the next page.'),
});
export type CardPage = z.infer<typeof cardPageSchema>;

/** Where a task may go from each status, so that nobody has to know the rules twice. */
export const movesSchema = z.object({
  moves: z.record(status, z.array(status)),
  leaseMs: z.int(),
});
export type Moves = z.infer<typeof movesSchema>;

export function readMoves({ leaseMs }: BoardSight): Moves {
  const moves = STATUSES.map((from) => [from, [...nextStatuses(from)]]);
  return { moves: Object.fromEntries(moves) as Moves['moves'], leaseMs };
}

type CardRequest = CardFilter & Readonly<{ limit?: number | undefined }>;
const AT_ONCE = 2_000;

export async function readCards(
  { q, caller, renewals, costsOfRuns }: BoardSight,
  { limit = AT_ONCE, ...request }: CardRequest,
): Promise<CardPage> {
  const { ids = [] } = request;
  const teamId = caller.who.bound.team ?? request.teamId;
  const found = await listForCards(q, { ...request, teamId }, limit + 1);
  const tasks = found.slice(0, limit);
  const present = tasks.map(({ id }) => id);
  const { dependsOn, checks, comments, labels, places, costs } = await readMarks(q, present, costsOfRuns);
  return {
    cards: tasks.map((stored) => {
      const { seat: _, ...task } = withSigns(stored, renewals);
      return {
        ...task,
        fence: mayKnowFence(stored, caller) ? task.fence : null,
        dependsOn: [...(dependsOn.get(task.id) ?? [])],
        checks: checks.get(task.id) ?? null,
        comments: comments.get(task.id) ?? 0,
        labels: [...(labels.get(task.id) ?? [])],
        costUsd: Math.max(task.costUsd, costs.get(task.id) ?? 0),
        place: places.get(task.id) ?? turnOf(task),
      };
    }),
    gone: ids.filter((id) => !present.includes(id)),
    ...(found.length > limit && { next: tasks.at(-1)!.id }),
  };
}
