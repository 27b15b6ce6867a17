// What hangs on a task: comments, dependencies, checks and their evidence.
import { z } from 'zod';
import { change, look } from '../../../operation/operation.ts';
import type { BoardDesk, BoardView } from '../board.ts';
import { authorType, checkSchema, commentSchema, evidenceSchema, linkSchema } from '../detail.ts';
import * as input from '../inputs.ts';
import { read, told, write } from './tasks.ts';

export const addComment = change({
  ...write,
  name: 'add_comment',
  summary: 'Adds a comment: progress, a summary for whoever asked, notes for the next holder.',
  input: {
    taskId: input.taskId,
    body: input.commentBody,
    authorAgentId: input.agentName.optional().describe('Who writes, when your connection does not say.'),
    authorType: authorType.optional().describe('agent unless given.'),
    ...told,
  },
  output: commentSchema,
  tool: { title: 'Comment on a task' },
  agentOf: ({ authorAgentId }) => authorAgentId,
  run: (desk: BoardDesk, request) => desk.comment(request),
});

/** Over REST it is a person who writes, unless an agent is named. */
export const commentOnTask = change({
  ...write,
  name: addComment.name,
  summary: 'Comment on a task.',
  input: {
    taskId: input.taskId,
    body: input.commentBody,
    authorAgentId: input.agentName.optional(),
    authorType: authorType.optional(),
    ...told,
  },
  output: commentSchema,
  refusals: ['not_found'],
  route: 'POST /api/board/tasks/:taskId/comments',
  status: 201,
  agentOf: ({ authorAgentId }) => authorAgentId,
  run: (desk: BoardDesk, { authorAgentId, ...request }) =>
    desk.comment({ authorType: authorAgentId === undefined ? 'user' : 'agent', ...request }),
});

export const linkTask = change({
  ...write,
  name: 'link_task',
  summary: 'Make a task wait for another one.',
  input: {
    taskId: input.taskId,
    dependsOnTaskId: input.taskId.describe('Id of the task to wait for.'),
    ...told,
  },
  output: linkSchema,
  refusals: ['not_found', 'conflict', 'stale_fence', 'not_holder'],
  tool: {
    title: 'Link a dependency',
    description:
      'Makes taskId wait for dependsOnTaskId: it is not ready until that one is done or cancelled.',
    isRepeatable: true,
  },
  route: 'POST /api/board/tasks/:taskId/dependencies',
  status: 201,
  run: (desk: BoardDesk, request) => desk.link(request),
});

export const unlinkTask = change({
  ...write,
  name: 'unlink_task',
  summary: 'A task no longer waits for another one.',
  input: {
    taskId: input.taskId,
    dependsOnTaskId: input.taskId.describe('Id of the task it waits for.'),
    ...told,
  },
  output: linkSchema,
  refusals: ['not_found', 'stale_fence', 'not_holder'],
  tool: {
    title: 'Remove a dependency',
    description: 'taskId no longer waits for dependsOnTaskId.',
    profile: 'extended',
  },
  route: 'DELETE /api/board/tasks/:taskId/dependencies/:dependsOnTaskId',
  run: (desk: BoardDesk, request) => desk.unlink(request),
});

export const addCheck = change({
  ...write,
  name: 'add_check',
  summary: 'Add an acceptance check.',
  input: {
    taskId: input.taskId,
    title: input.checkTitle,
    required: z.boolean().optional().describe('true unless given.'),
    ...told,
  },
  output: checkSchema,
  refusals: ['not_found', 'conflict', 'stale_fence', 'not_holder', 'limited'],
  tool: {
    title: 'Add an acceptance check',
    description:
      'Says what must hold before the task counts as done. A required check needs passing evidence newer than the last change.',
    profile: 'extended',
  },
  route: 'POST /api/board/tasks/:taskId/checks',
  status: 201,
  run: (desk: BoardDesk, request) => desk.addCheck(request),
});

export const submitEvidence = change({
  ...write,
  name: 'submit_evidence',
  summary: 'Give evidence for a check.',
  input: {
    taskId: input.taskId,
    checkId: input.taskId.describe('Id of the check, as get_task lists it.'),
    passed: z.boolean(),
    summary: input.evidenceSummary,
    reference: input.evidenceReference.optional(),
    ...told,
  },
  output: evidenceSchema,
  refusals: ['not_found', 'conflict', 'stale_fence', 'not_holder'],
  tool: {
    title: 'Give evidence for a check',
    description:
      'Records whether a check passed, and how one can see it. The newest evidence of a check counts.',
    profile: 'extended',
  },
  route: 'POST /api/board/tasks/:taskId/evidence',
  status: 201,
  run: (desk: BoardDesk, request) => desk.submitEvidence(request),
});

export const listEvidence = look({
  ...read,
  name: 'list_evidence',
  summary: 'The evidence given for a task, newest first.',
  input: { taskId: input.taskId, limit: input.limit.optional().describe('100 unless given.') },
  output: z.object({ evidence: z.array(evidenceSchema) }),
  refusals: ['not_found'],
  tool: { title: 'List evidence', carries: ['title', 'summary', 'reference'], profile: 'extended' },
  route: 'GET /api/board/tasks/:taskId/evidence',
  run: async (view: BoardView, request) => ({ evidence: await view.evidence(request) }),
});
