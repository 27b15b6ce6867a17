import { z } from 'zod';

/** The words of the board: what a task, a comment, a check and its evidence look like to every surface. */
export const STATUSES = [
  'backlog',
  'todo',
  'in_progress',
  'in_review',
  'blocked',
  'done',
  'cancelled',
] as const;
export type Status = (typeof STATUSES)[number];

/** Milliseconds since the epoch. Left undescribed: these schemas are repeated in every tool list. */
const instant = z.int();

export const verificationSchema = z.object({
  status: z.enum(['pass', 'overridden']),
  at: instant,
  by: z.string().optional().describe('Who overrode the checks.'),
  reason: z.string().optional(),
});
export type Verification = z.infer<typeof verificationSchema>;

export const summarySchema = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(STATUSES),
  priority: z.int(),
  teamId: z.string().nullable(),
  assigneeAgentId: z.string().nullable(),
  assigneeRuntime: z.string().nullable(),
  parentTaskId: z.string().nullable(),
  /** Number of the current claim, for its holder and for persons; null for others and while nobody holds the task. */
  fence: z.int().nullable(),
  /** The claim lapses then unless its holder gives a sign of life; null: no lease. */
  leaseUntil: instant.nullable(),
  createdAt: instant,
  updatedAt: instant,
});
export type TaskSummary = z.infer<typeof summarySchema>;

export const taskSchema = summarySchema.extend({
  description: z.string().nullable(),
  sourceDelegationId: z.string().nullable(),
  worktreeRef: z.string().nullable(),
  branchRef: z.string().nullable(),
  costUsd: z.number(),
  parentSessionId: z.string().nullable(),
  dropped: z.boolean(),
  tenantId: z.string().nullable(),
  scheduledBy: z.string(),
  verification: verificationSchema.nullable(),
  completedAt: instant.nullable(),
  claimedAt: instant.nullable(),
});
export type Task = z.infer<typeof taskSchema>;

/** A task as the board keeps it. `fence` counts every acquisition, also after the claim ended. */
export type StoredTask = Omit<Task, 'fence'> &
  Readonly<{
    fence: number;
    /** The connection or credential that holds the claim; null where a name alone does. */
    seat: string | null;
    /** Assigned, and not taken up by its assignee yet. */
    awaited: boolean;
    createdBy: string | null;
    createdSeat: string | null;
    assignedBy: string | null;
    assignedSeat: string | null;
    revision: number;
    depth: number;
  }>;

const relativeSchema = z.object({
  id: z.string(),
  title: z.string(),
  status: z.enum(STATUSES),
  parentTaskId: z.string().nullable(),
});
export type Relative = z.infer<typeof relativeSchema>;

export const AUTHOR_TYPES = ['agent', 'user', 'system'] as const;
export type AuthorType = (typeof AUTHOR_TYPES)[number];

export const commentSchema = z.object({
  id: z.string(),
  taskId: z.string(),
  authorAgentId: z.string().nullable(),
  authorType: z.enum(AUTHOR_TYPES),
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

export const taskPageSchema = z.object({
  tasks: z.array(summarySchema),
  total: z.int(),
  nextCursor: z.string().optional(),
});
export type TaskPage = z.infer<typeof taskPageSchema>;

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

/** What callers see: seats and revisions stay inside, and the fence is for who may know it. */
export function presentTask(stored: StoredTask, showsFence: boolean): Task {
  const {
    seat: _s,
    revision: _r,
    depth: _d,
    awaited: _a,
    createdSeat: _cs,
    assignedSeat: _as,
    ...rest
  } = stored;
  const { createdBy: _c, assignedBy: _b, ...task } = rest;
  return { ...task, fence: showsFence ? task.fence : null };
}
