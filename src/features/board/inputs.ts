import { z } from 'zod';
import { hasNoSecret } from '../../kernel/words.ts';
import { AUTHOR_TYPES, STATUSES } from './task.ts';

/** Arguments as tools and routes accept them, checked once at the edge. NUL is refused because PostgreSQL cannot store it. */
const LIMITS = {
  title: 500,
  text: 20_000,
  name: 200,
  priority: 1_000_000,
  reference: 2_000,
  costUsd: 1_000_000_000,
} as const;

const hasNoNul = (text: string) => !text.includes('\0');
const hasNoControls = (text: string) => !/\p{Cc}/u.test(text);

function prose(min: number, max: number) {
  return z.string().min(min).max(max).refine(hasNoNul, 'must not contain NUL characters');
}

function name() {
  return z
    .string()
    .min(1)
    .max(LIMITS.name)
    .refine(hasNoControls, 'must not contain control characters')
    .refine(hasNoSecret, 'must not hold a secret');
}

function reference() {
  return z.string().min(1).max(LIMITS.reference).refine(hasNoControls, 'must not contain control characters');
}

export const taskId = name().describe('Id of the task.');
export const agentName = name();
export const teamId = name().describe('Team the task belongs to.');
export const runtime = name().describe('Runtime of the agent, such as codex or claude-code.');
export const title = prose(1, LIMITS.title).refine((text) => /\S/.test(text), 'must not be blank');
export const description = prose(0, LIMITS.text);
export const commentBody = prose(1, LIMITS.text);
export const priority = z
  .int()
  .min(-LIMITS.priority)
  .max(LIMITS.priority)
  .describe('Higher is sooner; 0 unless given.');
export const status = z.enum(STATUSES);
export const authorType = z.enum(AUTHOR_TYPES);
export const limit = z.int().min(1).max(500);
export const cursor = z.string().min(1).max(1_000);
export const checkTitle = prose(1, LIMITS.title);
export const evidenceSummary = prose(1, LIMITS.text);
export const evidenceReference = prose(1, LIMITS.reference).describe(
  'Where to look: a commit, a file, a URL.',
);

export const newTask = {
  title: title.describe('What is to be done.'),
  description: description.optional().describe('Context, constraints, how to tell it is finished.'),
  status: status.optional().describe('todo unless given.'),
  priority: priority.optional(),
  teamId: teamId.optional(),
  parentTaskId: taskId.optional().describe('Makes it a subtask.'),
  assigneeRuntime: runtime.optional(),
  dependsOn: z
    .array(taskId)
    .max(100)
    .optional()
    .describe('Ids of the tasks it waits for, from its first moment on.'),
};

export const filters = {
  teamId: teamId.optional(),
  status: status.optional(),
  assigneeAgentId: agentName.optional().describe('Only tasks of this agent.'),
  parentTaskId: taskId.optional().describe('Only subtasks of this task.'),
};

/** One word, so that it can be typed. */
export const label = z
  .string()
  .regex(
    /^[\p{L}\p{N}][\p{L}\p{N}._:/-]{0,49}$/u,
    'must be up to 50 letters, digits or . _ : / - and begin with a letter or digit',
  )
  .refine(hasNoSecret, 'must not hold a secret');

/** What persons narrow a list by. */
export const narrowing = {
  state: z.enum(['open', 'closed']).optional().describe('closed: done or cancelled.'),
  search: z
    .string()
    .min(1)
    .max(200)
    .refine(hasNoNul, 'must not contain NUL characters')
    .optional()
    .describe('Words of title or description.'),
  label: label.optional(),
};

export const edits = {
  title: title.optional(),
  description: description.nullable().optional().describe('null removes it.'),
  priority: priority.optional(),
  branchRef: reference().nullable().optional().describe('Branch the work is on; null removes it.'),
  worktreeRef: reference().nullable().optional().describe('Folder the work is done in; null removes it.'),
  costUsd: z
    .number()
    .min(0)
    .max(LIMITS.costUsd)
    .optional()
    .describe('What the work has cost so far, in dollars.'),
};

/** The edits alone, of a body that holds more. */
export function editsOf(given: z.output<z.ZodObject<typeof edits>>) {
  const { title, description, priority, branchRef, worktreeRef, costUsd } = given;
  return { title, description, priority, branchRef, worktreeRef, costUsd };
}
