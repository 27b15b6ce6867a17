import { z } from 'zod';
import { instant, status, taskSchema } from './task.ts';

/** What hangs on a task: relatives, comments, checks and their evidence, as every surface shows them. */
const relativeSchema = z.object({
  id: z.string(),
  title: z.string(),
  status: status,
  parentTaskId: z.string().nullable(),
});
export type Relative = z.infer<typeof relativeSchema>;

const AUTHOR_TYPES = ['agent', 'user', 'system'] as const;
export type AuthorType = (typeof AUTHOR_TYPES)[number];
export const authorType = z.enum(AUTHOR_TYPES);

export const commentSchema = z.object({
  id: z.string(),
  taskId: z.string(),
  authorAgentId: z.string().nullable(),
  authorType,
  body: z.string(),
  tenantId: z.string().nullable(),
  createdAt: instant,
});
export type Comment = z.infer<typeof commentSchema>;

export const evidenceSchema = z.object({
  id: z.string(),
  taskId: z.string(),
  checkId: z.string(),
  passed: z.boolean(),
  summary: z.string(),
  reference: z.string().nullable(),
  authorAgentId: z.string().nullable(),
  current: z.boolean().describe('False once the task changed after this evidence was given.'),
  createdAt: instant,
});
export type Evidence = z.infer<typeof evidenceSchema>;

export const checkSchema = z.object({
  id: z.string(),
  taskId: z.string(),
  title: z.string(),
  required: z.boolean(),
  satisfied: z.boolean().describe('Its newest evidence passed and the task has not changed since.'),
  createdAt: instant,
});
export type Check = z.infer<typeof checkSchema>;

export const linkSchema = z.object({ taskId: z.string(), dependsOnTaskId: z.string() });
export type TaskLink = z.infer<typeof linkSchema>;

export const taskDetailSchema = z.object({
  task: taskSchema,
  comments: z.array(commentSchema),
  commentsTotal: z
    .int()
    .describe('All comments; only the newest are shown when there are more than the limit.'),
  ancestors: z.array(relativeSchema).describe('Parent first, root last.'),
  dependencies: z.array(relativeSchema),
  dependents: z.array(relativeSchema),
  children: z.array(relativeSchema),
  checks: z.array(checkSchema),
});
export type TaskDetail = z.infer<typeof taskDetailSchema>;
