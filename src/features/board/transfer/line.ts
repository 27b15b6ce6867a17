import { z } from 'zod';
import { authorType } from '../detail.ts';
import * as input from '../inputs.ts';
import { needsHolder } from '../rules.ts';
import { LATER, type Status, taskSchema } from '../task.ts';

/** One line of an export. Text has the same bounds as when it comes from a caller. */
const id = input.taskId;
const maybe = input.agentName.nullable();
const instant = z.int().min(0);
const count = z.int().min(0);

/** What is shown of a task, within bounds: names are names unless they say what else, moments and counts are not negative. */
function bounded(schema: z.core.SomeType): z.ZodType {
  if (schema instanceof z.ZodNullable) return bounded(schema.unwrap()).nullable();
  if (schema instanceof z.ZodString && !schema.def.checks?.length) return input.agentName;
  if (schema instanceof z.ZodNumber) return schema.min(0);
  return schema as z.ZodType;
}

const own = {
  id,
  title: input.title,
  description: input.description.nullable(),
  priority: input.priority,
  worktreeRef: input.evidenceReference.nullable(),
  branchRef: input.evidenceReference.nullable(),
  fence: count,
};

type Shown = Omit<typeof taskSchema.shape, 'dropped' | keyof typeof own>;
const shown = Object.fromEntries(
  Object.entries(taskSchema.shape)
    .filter(([field]) => field !== 'dropped' && !Object.hasOwn(own, field))
    .map(([field, schema]) => {
      const kept = bounded(schema);
      return [field, LATER.includes(field) ? kept.default(null) : kept];
    }),
) as unknown as Shown;

const taskFields = z.object({
  type: z.literal('task'),
  ...own,
  ...shown,
  revision: count,
  depth: z.int().min(1),
  archivedAt: instant.nullable().default(null).describe('When a finished task was put out of sight.'),
});

/** A task that claims to be under way for nobody could never be claimed again. */
const task = taskFields.refine(
  ({ status, assigneeAgentId, fence }) =>
    isWaiting(status)
      ? assigneeAgentId === null
      : !needsHolder(status) || (assigneeAgentId !== null && fence > 0),
  'a task under way needs an assignee and a fence; one that waits has no assignee',
);

function isWaiting(status: Status): boolean {
  return status === 'todo' || status === 'backlog';
}

const comment = z.object({
  type: z.literal('comment'),
  id,
  taskId: id,
  authorAgentId: maybe,
  authorType,
  body: input.commentBody,
  tenantId: maybe,
  createdAt: instant,
});

const check = z.object({
  type: z.literal('check'),
  id,
  taskId: id,
  title: input.checkTitle,
  required: z.boolean(),
  createdAt: instant,
});

const evidence = z.object({
  type: z.literal('evidence'),
  id,
  taskId: id,
  checkId: id,
  revision: count,
  passed: z.boolean(),
  summary: input.evidenceSummary,
  reference: input.evidenceReference.nullable(),
  authorAgentId: maybe,
  asserted: z.boolean(),
  fence: count,
  createdAt: instant,
});

const link = z.object({ type: z.literal('link'), taskId: id, dependsOnTaskId: id });

const label = z.object({ type: z.literal('label'), taskId: id, label: input.label });

const head = z.object({ type: z.literal('archive'), version: z.literal(1), at: instant });

export const recordSchema = z.discriminatedUnion('type', [head, task, link, label, comment, check, evidence]);
export type TransferLine = z.infer<typeof recordSchema>;

/** Where an export stands: the last record it read, as far as its order needs it. */
const lastId = z.string().max(200);

export const positionSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('task'), depth: count, id: lastId }),
  z.object({ type: z.literal('link'), taskId: lastId, dependsOnTaskId: lastId }),
  z.object({ type: z.literal('label'), taskId: lastId, label: lastId }),
  z.object({ type: z.literal('comment'), id: lastId }),
  z.object({ type: z.literal('check'), id: lastId }),
  z.object({ type: z.literal('evidence'), id: lastId }),
]);
export type ExportPosition = z.infer<typeof positionSchema>;

export const importReport = z.object({
  added: z.int(),
  known: z.int(),
  updated: z.int().describe('Known ones that say something new, with `update`.'),
  problems: z.array(z.object({ line: z.int().describe('The first line is 1.'), problem: z.string() })),
});
export type ImportReport = z.infer<typeof importReport>;
