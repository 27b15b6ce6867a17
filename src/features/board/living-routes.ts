// What a person needs to live with a board, over HTTP: labels, an archive, taking things back, figures.
import { z } from 'zod';
import { defineRoute, integerText, type Route } from '../../http/route.ts';
import { byRoute } from '../../store/acting.ts';
import { changeRoute, PLACE } from './change-route.ts';
import type { BoardDoor } from './change-tool.ts';
import * as input from './inputs.ts';
import { allLabelled, labelsOf, relabel, shelve } from './labels.ts';
import { reopen } from './reopening.ts';
import { listFinished } from './rows/stats.ts';
import { addUp, statsSchema } from './stats.ts';
import { presentTask, taskSchema } from './task.ts';
import { undo } from './undo.ts';

/** What a person needs to live with a board: labels, an archive, taking things back, and what it all came to. */
const TASK = '/api/board/tasks/:taskId';
const oneTask = { taskId: input.taskId };
const labels = z.object({ taskId: z.string(), labels: z.array(z.string()) });

export function livingRoutes(door: BoardDoor): Route[] {
  return [...labelRoutes(door), ...personRoutes(door), statsRoute(door)];
}

function labelRoutes(door: BoardDoor): Route[] {
  return [
    defineRoute({
      ...PLACE,
      method: 'GET',
      path: '/api/board/labels',
      summary: 'Every label with the tasks in sight that have it.',
      response: z.object({ labels: z.array(z.object({ label: z.string(), taskIds: z.array(z.string()) })) }),
      async handler(_input, { who }) {
        const found = await door.acting.look(byRoute(who, 'labels'), (q) => allLabelled(q, who));
        const grouped = Map.groupBy(found, ({ label }) => label);
        return {
          labels: [...grouped].map(([label, rows]) => ({ label, taskIds: rows.map(({ taskId }) => taskId) })),
        };
      },
    }),
    defineRoute({
      ...PLACE,
      method: 'GET',
      path: `${TASK}/labels`,
      summary: 'The labels of a task.',
      params: z.object(oneTask),
      response: labels,
      refusals: ['not_found'],
      handler: async ({ params: { taskId } }, { who }) => ({
        taskId,
        labels: await door.acting.look(byRoute(who, 'labels'), (q) => labelsOf(q, who, taskId)),
      }),
    }),
    changeRoute(door, {
      method: 'PATCH',
      path: `${TASK}/labels`,
      summary: 'Add and remove labels of a task.',
      refusals: ['not_found', 'limited'],
      params: oneTask,
      body: { add: z.array(input.label).max(20).optional(), remove: z.array(input.label).max(20).optional() },
      response: labels,
      run: async (tx, caller, { taskId }, { add = [], remove = [] }) => ({
        taskId,
        labels: await relabel(tx, caller, { taskId, add, remove }),
      }),
    }),
  ];
}

function personRoutes(door: BoardDoor): Route[] {
  return [
    changeRoute(door, {
      method: 'PUT',
      path: `${TASK}/archived`,
      summary:
        'Put a finished task out of sight of lists, or back into sight. It can still be read by its id.',
      refusals: ['not_found', 'conflict'],
      params: oneTask,
      body: { archived: z.boolean() },
      response: z.object({ taskId: z.string(), archived: z.boolean() }),
      run: (tx, caller, { taskId }, { archived }) => shelve(tx, caller, { taskId, archived }),
    }),
    changeRoute(door, {
      method: 'PUT',
      path: `${TASK}/reopened`,
      summary: 'A person says that a finished task is not: it is todo again.',
      refusals: ['not_found', 'conflict', 'forbidden'],
      params: oneTask,
      body: {},
      response: taskSchema,
      run: async (tx, caller, { taskId }) => presentTask(await reopen(tx, caller, taskId), true),
    }),
    changeRoute(door, {
      method: 'PUT',
      path: '/api/board/undone',
      summary:
        "Take back the caller's last change to the board, unless somebody has changed the task since. Persons only.",
      refusals: ['not_found', 'conflict', 'forbidden'],
      params: {},
      body: {},
      isUndo: true,
      response: z.object({
        task: taskSchema,
        what: z.string(),
        at: z.int(),
        lost: z.literal('claim').optional().describe('The claim that the change had ended is not restored.'),
      }),
      async run(tx, caller) {
        const outcome = await undo(tx, door.board.settings, caller);
        if ('refused' in outcome) return outcome;
        const { task, ...undone } = outcome;
        return { ...undone, task: presentTask(task, true) };
      },
    }),
  ];
}

const MOST_COUNTED = 20_000;
const MONTH = 30 * 86_400_000;

function statsRoute(door: BoardDoor): Route {
  return defineRoute({
    ...PLACE,
    method: 'GET',
    path: '/api/board/stats',
    summary: 'What was finished: throughput, lead time, and cost by agent and team.',
    query: z.object({
      since: integerText(z.int().min(0))
        .optional()
        .describe('In milliseconds; the last 30 days unless given.'),
      teamId: input.teamId.optional(),
    }),
    response: statsSchema,
    async handler({ query: { since = Date.now() - MONTH, teamId } }, { who }) {
      const wanted = { since, teamId: who.bound.team ?? teamId, limit: MOST_COUNTED + 1 };
      const found = await door.acting.look(byRoute(who, 'stats'), (q) => listFinished(q, wanted));
      return { ...addUp(found.slice(0, MOST_COUNTED), since), isCut: found.length > MOST_COUNTED };
    },
  });
}
