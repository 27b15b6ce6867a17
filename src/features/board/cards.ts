import { z } from 'zod';
import { defineRoute, integerText, listText, type Route } from '../../http/route.ts';
import { byRoute, type Caller } from '../../store/acting.ts';
import type { Query } from '../../store/database.ts';
import { PLACE } from './change-route.ts';
import type { BoardDoor } from './change-tool.ts';
import * as input from './inputs.ts';
import { canSee, withSigns } from './reading.ts';
import { listForCards, readMarks, type CardFilter } from './rows/cards.ts';
import { mayKnowFence, nextStatuses } from './rules.ts';
import { STATUSES, summarySchema, type StoredTask } from './task.ts';

/** Tasks as a board draws them: with what they wait for, how far their checks are and how much was said. */
const cardSchema = summarySchema.extend({
  claimedAt: z.int().nullable(),
  completedAt: z.int().nullable(),
  branchRef: z.string().nullable(),
  costUsd: z.number(),
  awaited: z.boolean().describe('Assigned, and not taken up by its assignee yet.'),
  dependsOn: z.array(z.string()),
  checks: z.object({ total: z.int(), satisfied: z.int() }).nullable(),
  comments: z.int(),
  labels: z.array(z.string()),
});
export type Card = z.infer<typeof cardSchema>;

const cardPageSchema = z.object({
  cards: z.array(cardSchema),
  gone: z.array(z.string()).describe('Of the ids asked for: those that are not on the board.'),
  next: z.string().optional().describe('after of the next page.'),
});
export type CardPage = z.infer<typeof cardPageSchema>;

/** Where a task may go from each status, so that nobody has to know the rules twice. */
const movesSchema = z.object({
  moves: z.record(z.enum(STATUSES), z.array(z.enum(STATUSES))),
  leaseMs: z.int(),
});
export type Moves = z.infer<typeof movesSchema>;

export function cardRoutes(door: BoardDoor): Route[] {
  return [
    defineRoute({
      ...PLACE,
      method: 'GET',
      path: '/api/board/cards',
      summary:
        'The whole board for drawing, a page at a time in the order of ids; or some of its tasks by id.',
      query: z.object({
        teamId: input.teamId.optional(),
        ids: listText(200).optional().describe('Only these tasks.'),
        after: input.taskId.optional().describe('next of the page before.'),
        archived: z
          .enum(['true', 'false'])
          .optional()
          .describe('true: only what was put out of sight. Otherwise that is left out.'),
        limit: integerText(z.int().min(1).max(2_000)).optional().describe('2000 unless given.'),
      }),
      response: cardPageSchema,
      handler: ({ query: { limit = 2_000, archived, ...filter } }, { who }) =>
        door.acting.look(byRoute(who, 'cards'), (q, caller) =>
          readCards(q, door, caller, { ...filter, limit, isArchived: archived === 'true' }),
        ),
    }),
    defineRoute({
      ...PLACE,
      method: 'GET',
      path: '/api/board/moves',
      summary: 'Which status may follow which, and how long a lease is.',
      response: movesSchema,
      handler: async () => ({
        moves: Object.fromEntries(STATUSES.map((from) => [from, [...nextStatuses(from)]])) as Moves['moves'],
        leaseMs: door.board.settings.leaseMs,
      }),
    }),
  ];
}

type CardRequest = CardFilter & Readonly<{ limit: number }>;

async function readCards(
  q: Query,
  { board }: BoardDoor,
  caller: Caller,
  request: CardRequest,
): Promise<CardPage> {
  const { ids, limit, ...filter } = request;
  const { team } = caller.who.bound;
  const found = await listForCards(
    q,
    { ...filter, ids, ...(team !== undefined && { teamId: team }) },
    limit + 1,
  );
  const tasks = found.slice(0, limit).filter((task) => canSee(caller.who, task));
  const marks = await readMarks(
    q,
    tasks.map(({ id }) => id),
  );
  const present = new Set(tasks.map(({ id }) => id));
  return {
    cards: tasks.map((task) => ({
      ...toCard(withSigns(task, board.settings.renewals), caller),
      dependsOn: [...(marks.dependsOn.get(task.id) ?? [])],
      checks: marks.checks.get(task.id) ?? null,
      comments: marks.comments.get(task.id) ?? 0,
      labels: [...(marks.labels.get(task.id) ?? [])],
    })),
    gone: (ids ?? []).filter((id) => !present.has(id)),
    ...(found.length > limit && { next: tasks.at(-1)!.id }),
  };
}

function toCard(
  task: StoredTask,
  caller: Caller,
): Omit<Card, 'dependsOn' | 'checks' | 'comments' | 'labels'> {
  const { id, title, status, priority, teamId, assigneeAgentId, assigneeRuntime, parentTaskId, leaseUntil } =
    task;
  const { createdAt, updatedAt, claimedAt, completedAt, branchRef, costUsd, awaited } = task;
  const named = {
    id,
    title,
    status,
    priority,
    teamId,
    assigneeAgentId,
    assigneeRuntime,
    parentTaskId,
    leaseUntil,
  };
  const fence = mayKnowFence(task, caller) ? task.fence : null;
  return { ...named, fence, createdAt, updatedAt, claimedAt, completedAt, branchRef, costUsd, awaited };
}
