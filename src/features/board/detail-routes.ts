import { z } from 'zod';
import { defineRoute, integerText, type Route } from '../../http/route.ts';
import type { Board } from './board.ts';
import { changeRoute, PLACE } from './change-route.ts';
import type { Desk } from './desk.ts';
import * as input from './inputs.ts';
import { checkSchema, commentSchema, evidenceSchema, linkSchema } from './task.ts';

/** What hangs on a task: comments, dependencies, checks, evidence and its history. */
export function detailRoutes(desk: Desk, board: Board): Route[] {
  return [...commentRoutes(desk, board), ...dependencyRoutes(desk, board), ...evidenceRoutes(desk, board), historyRoute(desk, board)];
}

const TASK = '/api/board/tasks/:taskId';
const oneTask = { taskId: input.taskId };
const pageLimit = integerText(input.limit).optional().describe('100 unless given.');

function commentRoutes(desk: Desk, board: Board): Route[] {
  return [
    defineRoute({
      ...PLACE,
      method: 'GET',
      path: `${TASK}/comments`,
      summary: 'The newest comments of a task, oldest first; go back with before.',
      params: z.object(oneTask),
      query: z.object({ before: input.taskId.optional().describe('Only comments older than this one.'), limit: pageLimit }),
      response: z.object({ comments: z.array(commentSchema), nextBefore: z.string().optional() }),
      refusals: ['not_found'],
      async handler({ params, query: { before, limit = 100 } }, { who }) {
        const found = await desk.look(who, {}, (q) => board.comments(q, who, params.taskId, { before, limit: limit + 1 }));
        const comments = found.slice(-limit);
        return { comments, ...(found.length > limit && { nextBefore: comments[0]!.id }) };
      },
    }),
    changeRoute(desk, {
      method: 'POST',
      path: `${TASK}/comments`,
      summary: 'Comment on a task.',
      status: 201,
      refusals: ['not_found'],
      params: oneTask,
      body: { body: input.commentBody, authorAgentId: input.agentName.optional(), authorType: input.authorType.optional() },
      response: commentSchema,
      agentOf: ({ authorAgentId }) => authorAgentId,
      run: (tx, caller, { taskId }, { body, authorType, authorAgentId }) =>
        board.comment(tx, caller, { taskId, body, authorType: authorType ?? (authorAgentId === undefined ? 'user' : 'agent') }),
    }),
  ];
}

function dependencyRoutes(desk: Desk, board: Board): Route[] {
  return [
    changeRoute(desk, {
      method: 'POST',
      path: `${TASK}/dependencies`,
      summary: 'Make a task wait for another one.',
      status: 201,
      refusals: ['not_found', 'conflict', 'stale_fence'],
      params: oneTask,
      body: { dependsOnTaskId: input.taskId },
      response: linkSchema,
      run: (tx, caller, { taskId }, { dependsOnTaskId }) => board.link(tx, caller, { taskId, dependsOnTaskId }),
    }),
    changeRoute(desk, {
      method: 'DELETE',
      path: `${TASK}/dependencies/:dependsOnTaskId`,
      summary: 'A task no longer waits for another one.',
      refusals: ['not_found', 'stale_fence'],
      params: { ...oneTask, dependsOnTaskId: input.taskId },
      body: {},
      response: linkSchema,
      run: (tx, caller, params) => board.unlink(tx, caller, params),
    }),
  ];
}

function evidenceRoutes(desk: Desk, board: Board): Route[] {
  return [
    changeRoute(desk, {
      method: 'POST',
      path: `${TASK}/checks`,
      summary: 'Add an acceptance check.',
      status: 201,
      refusals: ['not_found', 'conflict', 'stale_fence', 'limited'],
      params: oneTask,
      body: { title: input.checkTitle, required: z.boolean().optional().describe('true unless given.') },
      response: checkSchema,
      run: (tx, caller, { taskId }, { title, required = true }) => board.addCheck(tx, caller, { taskId, title, required }),
    }),
    defineRoute({
      ...PLACE,
      method: 'GET',
      path: `${TASK}/evidence`,
      summary: 'The evidence given for a task, newest first.',
      params: z.object(oneTask),
      query: z.object({ limit: pageLimit }),
      response: z.object({ evidence: z.array(evidenceSchema) }),
      refusals: ['not_found'],
      handler: async ({ params, query }, { who }) => ({
        evidence: await desk.look(who, {}, (q) => board.evidence(q, who, params.taskId, query.limit ?? 100)),
      }),
    }),
    changeRoute(desk, {
      method: 'POST',
      path: `${TASK}/evidence`,
      summary: 'Give evidence for a check.',
      status: 201,
      refusals: ['not_found', 'conflict', 'stale_fence'],
      params: oneTask,
      body: {
        checkId: input.taskId.describe('Id of the check.'),
        passed: z.boolean(),
        summary: input.evidenceSummary,
        reference: input.evidenceReference.optional(),
      },
      response: evidenceSchema,
      run: (tx, caller, { taskId }, { checkId, passed, summary, reference }) =>
        board.submitEvidence(tx, caller, { taskId, checkId, passed, summary, reference }),
    }),
  ];
}

const eventSchema = z.object({
  seq: z.int(),
  at: z.int(),
  kind: z.string(),
  actor: z.object({ id: z.string(), asserted: z.boolean() }),
  data: z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()])).optional(),
});

function historyRoute(desk: Desk, board: Board): Route {
  return defineRoute({
    ...PLACE,
    method: 'GET',
    path: `${TASK}/history`,
    summary: 'What happened to a task, oldest first, from the event log.',
    params: z.object(oneTask),
    query: z.object({ after: integerText(z.int().min(0)).optional().describe('Only events after this one.'), limit: pageLimit }),
    response: z.object({ events: z.array(eventSchema), nextAfter: z.int().optional() }),
    refusals: ['not_found'],
    async handler({ params, query: { after = 0, limit = 100 } }, { who }) {
      const found = await desk.look(who, {}, (q) => board.history(q, who, params.taskId, { after, limit: limit + 1 }));
      const events = found.slice(0, limit).map(({ seq, at, kind, actor, data }) => ({ seq, at, kind, actor, ...(data && { data }) }));
      return { events, ...(found.length > limit && { nextAfter: events.at(-1)!.seq }) };
    },
  });
}
