import { z } from 'zod';
import { isDay } from '../../kernel/day.ts';
import * as input from './inputs.ts';

/** A task: what is kept of one, what is shown of it, what may be given. A new field has its lines here and in `rows/tasks.ts`. */
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
export const status = z.enum(STATUSES);

/** Milliseconds since the epoch. Left undescribed: these schemas are repeated in every tool list. */
export const instant = z.int();

export const day = z.string().refine(isDay, 'must be a day such as 2026-12-31');

const verificationSchema = z.object({
  status: z.enum(['pass', 'overridden']),
  at: instant,
  by: z.string().optional().describe('Who overrode the checks.'),
  reason: z.string().optional(),
});
export type Verification = z.infer<typeof verificationSchema>;

/** Fields in which others may have written. */
export const WORDS: readonly string[] = ['title', 'description', 'body', 'verification.reason'];

/** What lists and cards show. */
export const summarySchema = z.object({
  id: z.string(),
  title: z.string(),
  status,
  priority: z.int(),
  teamId: z.string().nullable(),
  assigneeAgentId: z.string().nullable(),
  assigneeRuntime: z.string().nullable(),
  parentTaskId: z.string().nullable(),
  due: day.nullable(),
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
  /** What the tool it was imported from calls it: `bd-c3d4`, `#123`. */
  externalId: z.string().nullable(),
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

/** A line of a list. */
const listedSchema = summarySchema.extend({ waitsFor: z.array(z.string()).optional() });
export type ListedTask = z.infer<typeof listedSchema>;

export const taskPageSchema = z.object({
  tasks: z.array(listedSchema),
  total: z.int().describe('Counted as far as 10,000, and of what is ready as far as 1,000.'),
  totalIsLeast: z.literal(true).optional().describe('There are more than total.'),
  nextCursor: z.string().optional(),
});
export type TaskPage = z.infer<typeof taskPageSchema>;

/** Seats belong to connections of this hub: they are neither shown nor carried elsewhere, nor what is known by them. */
export const INSIDE = {
  /** The connection or credential that holds the claim; null where a name alone does. */
  seat: null as string | null,
  /** Assigned, and not taken up by its assignee yet. */
  awaited: false as boolean,
  createdBy: null as string | null,
  createdSeat: null as string | null,
  assignedBy: null as string | null,
  assignedSeat: null as string | null,
};

/** A task as the board keeps it. `fence` counts every acquisition, also after the claim ended. */
export type StoredTask = Omit<Task, 'fence'> &
  Readonly<{ fence: number; revision: number; depth: number } & typeof INSIDE>;

/** One that nobody has said or done anything about, but for its title. */
export const BLANK = {
  description: null,
  priority: 0,
  teamId: null,
  assigneeAgentId: null,
  assigneeRuntime: null,
  parentTaskId: null,
  due: null,
  externalId: null,
  sourceDelegationId: null,
  worktreeRef: null,
  branchRef: null,
  costUsd: 0,
  parentSessionId: null,
  tenantId: null,
  scheduledBy: 'manual',
  verification: null,
  completedAt: null,
  fence: 0,
  claimedAt: null,
  leaseUntil: null,
  revision: 0,
  depth: 1,
} as const satisfies Partial<StoredTask>;

/** Fields that exports of earlier hubs do not have: a line without them is whole, and they are null. */
export const LATER: readonly string[] = ['due', 'externalId'];

/** What callers see: seats and revisions stay inside, and the fence is for who may know it. */
export function presentTask(stored: StoredTask, showsFence: boolean): Task {
  const {
    seat: _s,
    revision: _r,
    depth: _d,
    awaited: _a,
    createdSeat: _cs,
    assignedSeat: _as,
    createdBy: _c,
    assignedBy: _b,
    ...task
  } = stored;
  return { ...task, fence: showsFence ? task.fence : null };
}

export const newTask = {
  title: input.title.describe('What is to be done.'),
  description: input.description.optional().describe('Context, constraints, how to tell it is finished.'),
  status: status.optional().describe('todo unless given.'),
  priority: input.priority.optional(),
  teamId: input.teamId.optional(),
  parentTaskId: input.taskId.optional().describe('Makes it a subtask.'),
  assigneeRuntime: input.runtime.optional(),
  due: day.optional().describe('Day it is due, YYYY-MM-DD.'),
  dependsOn: z
    .array(input.taskId)
    .max(100)
    .optional()
    .describe('Ids of the tasks it waits for, from its first moment on.'),
};
export type NewTask = Readonly<z.output<z.ZodObject<typeof newTask>>>;

export const edits = {
  title: input.title.optional(),
  description: input.description.nullable().optional().describe('null removes it.'),
  priority: input.priority.optional(),
  due: day.nullable().optional().describe('Day it is due, YYYY-MM-DD; null: none.'),
  branchRef: input.reference.nullable().optional().describe('Branch the work is on; null removes it.'),
  worktreeRef: input.reference.nullable().optional().describe('Folder the work is done in; null removes it.'),
  costUsd: input.costUsd.optional().describe('What the work has cost so far, in dollars.'),
};
export type TaskEdit = Readonly<z.output<z.ZodObject<typeof edits>>>;

/** What a list is narrowed by: for agents, and for persons. */
export const filters = {
  teamId: input.teamId.optional(),
  status: status.optional(),
  assigneeAgentId: input.agentName.optional().describe('Only tasks of this agent.'),
  parentTaskId: input.taskId.optional().describe('Only subtasks of this task.'),
  dueBefore: day.optional().describe('Only tasks due before this day, YYYY-MM-DD.'),
  sort: z.enum(['priority', 'due']).optional().describe('due: the soonest first, then by priority.'),
};

export const narrowing = {
  orNone: z.boolean().optional().describe('With teamId: what belongs to no team, too.'),
  state: z.enum(['open', 'closed']).optional().describe('closed: done or cancelled.'),
  search: input.words.optional().describe('Words of title or description.'),
  label: input.label.optional(),
  archived: z.boolean().optional().describe('What was put out of sight, and nothing else.'),
  q: z
    .string()
    .min(1)
    .max(500)
    .optional()
    .describe('Words and terms such as `keel status:todo label:x priority>=3 due<7d has:comment -word`.'),
};
export type Filters = Readonly<z.output<z.ZodObject<typeof filters & typeof narrowing>>>;

export type ListRequest = Filters &
  Readonly<{
    ready?: boolean | undefined;
    /** Every team's, not only the caller's project. */
    all?: boolean | undefined;
    /** 50 unless given. */
    limit?: number | undefined;
    cursor?: string | undefined;
    /** The task after which to go on. */
    after?: string | undefined;
  }>;

/** The fields of a record that a schema or an input names. */
export function fieldsOf<S extends object>(shape: S): (keyof S & string)[] {
  return Object.keys(shape) as (keyof S & string)[];
}

export function pick<T extends object, F extends keyof T>(record: T, fields: readonly F[]): Pick<T, F> {
  return Object.fromEntries(fields.map((field) => [field, record[field]])) as Pick<T, F>;
}
