import { z } from 'zod';
import { defineRoute, integerText, type Route } from '../../http/route.ts';
import { byRoute } from '../../store/acting.ts';
import { changeRoute, PLACE } from './change-route.ts';
import type { BoardDoor } from './change-tool.ts';
import { addComment } from './commenting.ts';
import { link, unlink } from './dependencies.ts';
import { addCheck, readEvidence, submitEvidence } from './evidence.ts';
import * as input from './inputs.ts';
import { readComments, readHistory } from './reading.ts';
import { checkSchema, commentSchema, evidenceSchema, linkSchema } from './task.ts';

/** What hangs on a task: comments, dependencies, checks, evidence and its history. */
export function detailRoutes(door: BoardDoor): Route[] {
  return [...commentRoutes(door), ...dependencyRoutes(door), ...evidenceRoutes(door), historyRoute(door)];
}

const TASK = '/api/board/tasks/:taskId';
const oneTask = { taskId: input.taskId };
const pageLimit = integerText(input.limit).optional().describe('100 unless given.');

function commentRoutes(door: BoardDoor): Route[] {
  return [
    defineRoute({
      ...PLACE,
      method: 'GET',
      path: `${TASK}/comments`,
      summary: 'The newest comments of a task, oldest first; go back with before.',
      params: z.object(oneTask),
      query: z.object({
        before: input.taskId.optional().describe('Only comments older than this one.'),
        limit: pageLimit,
      }),
      response: z.object({ comments: z.array(commentSchema), nextBefore: z.string().optional() }),
      refusals: ['not_found'],
      async handler({ params, query: { before, limit = 100 } }, { who }) {
        const found = await door.acting.look(byRoute(who, 'comments'), (q) =>
          readComments(q, who, params.taskId, { before, limit: limit + 1 }),
        );
        const comments = found.slice(-limit);
        return { comments, ...(found.length > limit && { nextBefore: comments[0]!.id }) };
      },
    }),
    changeRoute(door, {
      method: 'POST',
      path: `${TASK}/comments`,
      summary: 'Comment on a task.',
      status: 201,
      refusals: ['not_found'],
      params: oneTask,
      body: {
        body: input.commentBody,
        authorAgentId: input.agentName.optional(),
        authorType: input.authorType.optional(),
      },
      response: commentSchema,
      agentOf: ({ authorAgentId }) => authorAgentId,
      run: (tx, caller, { taskId }, { body, authorType, authorAgentId }) =>
        addComment(tx, door.board.settings, caller, {
          taskId,
          body,
          authorType: authorType ?? (authorAgentId === undefined ? 'user' : 'agent'),
        }),
    }),
  ];
}

function dependencyRoutes(door: BoardDoor): Route[] {
  return [
    changeRoute(door, {
      method: 'POST',
      path: `${TASK}/dependencies`,
      summary: 'Make a task wait for another one.',
      status: 201,
      refusals: ['not_found', 'conflict', 'stale_fence', 'not_holder'],
      params: oneTask,
      body: { dependsOnTaskId: input.taskId },
      response: linkSchema,
      run: (tx, caller, { taskId }, { dependsOnTaskId }) => link(tx, caller, { taskId, dependsOnTaskId }),
    }),
    changeRoute(door, {
      method: 'DELETE',
      path: `${TASK}/dependencies/:dependsOnTaskId`,
      summary: 'A task no longer waits for another one.',
      refusals: ['not_found', 'stale_fence', 'not_holder'],
      params: { ...oneTask, dependsOnTaskId: input.taskId },
      body: {},
      response: linkSchema,
      run: (tx, caller, params) => unlink(tx, caller, params),
    }),
  ];
}

function evidenceRoutes(door: BoardDoor): Route[] {
  return [
    changeRoute(door, {
      method: 'POST',
      path: `${TASK}/checks`,
      summary: 'Add an acceptance check.',
      status: 201,
      refusals: ['not_found', 'conflict', 'stale_fence', 'not_holder', 'limited'],
      params: oneTask,
      body: { title: input.checkTitle, required: z.boolean().optional().describe('true unless given.') },
      response: checkSchema,
      run: (tx, caller, { taskId }, { title, required = true }) =>
        addCheck(tx, caller, { taskId, title, required }),
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
        evidence: await door.acting.look(byRoute(who, 'evidence'), (q) =>
          readEvidence(q, who, params.taskId, query.limit ?? 100),
        ),
      }),
    }),
    changeRoute(door, {
      method: 'POST',
      path: `${TASK}/evidence`,
      summary: 'Give evidence for a check.',
      status: 201,
      refusals: ['not_found', 'conflict', 'stale_fence', 'not_holder'],
      params: oneTask,
      body: {
        checkId: input.taskId.describe('Id of the check.'),
        passed: z.boolean(),
        summary: input.evidenceSummary,
        reference: input.evidenceReference.optional(),
      },
      response: evidenceSchema,
      run: (tx, caller, { taskId }, { checkId, passed, summary, reference }) =>
        submitEvidence(tx, door.board.settings, caller, { taskId, checkId, passed, summary, reference }),
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

function historyRoute(door: BoardDoor): Route {
  return defineRoute({
    ...PLACE,
    method: 'GET',
    path: `${TASK}/history`,
    summary: 'What happened to a task, oldest first, from the event log.',
    params: z.object(oneTask),
    query: z.object({
      after: integerText(z.int().min(0)).optional().describe('Only events after this one.'),
      limit: pageLimit,
    }),
    response: z.object({ events: z.array(eventSchema), nextAfter: z.int().optional() }),
    refusals: ['not_found'],
    async handler({ params, query: { after = 0, limit = 100 } }, { who }) {
      const found = await door.acting.look(byRoute(who, 'history'), (q) =>
        readHistory(q, who, params.taskId, { after, limit: limit + 1 }),
      );
      const events = found
        .slice(0, limit)
        .map(({ seq, at, kind, actor, data }) => ({ seq, at, kind, actor, ...(data && { data }) }));
      return { events, ...(found.length > limit && { nextAfter: events.at(-1)!.seq }) };
    },
  });
}
