// What is kept and shown of branches that do not go together.
import { z } from 'zod';

/** What whoever watches listens to. */
export const COLLISION_SUBJECT = 'collisions';

const rangeSchema = z.tuple([z.int(), z.int()]);
const fileSchema = z.object({
  path: z.string(),
  ranges: z
    .array(rangeSchema)
    .describe('First and last line, as they stand in a; none where lines do not tell it.'),
});
export type CollidingFile = Readonly<z.infer<typeof fileSchema>>;

const sideSchema = z.object({
  task: z.string().nullable(),
  agent: z.string().nullable().describe('Who holds the task.'),
  branch: z.string(),
  head: z.string(),
});
export type CollisionSide = Readonly<z.infer<typeof sideSchema>>;

export const collisionSchema = z.object({
  a: sideSchema.describe('Who changed one of the files first.'),
  b: sideSchema,
  files: z.array(fileSchema),
  first: z.string().describe('The task that was first; the branch, where it has none.'),
});
export type Collision = Readonly<z.infer<typeof collisionSchema>>;

/** A path that a branch changes, and since when it does. */
export type TouchedPath = readonly [path: string, since: number];

export type Touching = Readonly<{
  branch: string;
  taskId: string | null;
  paths: readonly TouchedPath[];
  /** All that it changes is listed. */
  isWhole: boolean;
}>;
