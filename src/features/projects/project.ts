import { z } from 'zod';
import type { Query, Tx } from '../../store/database.ts';

/**
 * A project is a team that was found in a working folder. `teamId` is its first slug and never changes; the
 * name is what is shown and may.
 */
export const projectSchema = z.object({
  teamId: z.string(),
  name: z.string(),
  createdAt: z.int(),
});
export type Project = z.infer<typeof projectSchema>;

/**
 * `git`: its common git folder; `root`: a commit without parents; `remote`: where it was cloned from;
 * `path`: a folder without git.
 */
const KEY_KINDS = ['git', 'root', 'remote', 'path'] as const;

const projectKeySchema = z.object({ kind: z.enum(KEY_KINDS), value: z.string() });
export type ProjectKey = Readonly<z.infer<typeof projectKeySchema>>;

/** With what it is known by: paths of this machine, so for its owner only. */
export const keyedProjectSchema = projectSchema.extend({ keys: z.array(projectKeySchema).optional() });
export type KeyedProject = z.infer<typeof keyedProjectSchema>;

/** What a working folder tells about its project. */
export type Sighting = Readonly<{
  /** What it would be called if it were new. */
  name: string;
  /** The first that is known decides. */
  keys: readonly ProjectKey[];
  /**
   * Of these, what a project found or made by this sighting is known by from now on. The others only help
   * to find one.
   */
  own: readonly ProjectKey[];
}>;

/** In the transaction of the change. */
export type ProjectPart = Readonly<{
  /** Work that is still to be done there. */
  countOpen?(q: Query, team: string): Promise<number>;
  /** Everything of one project becomes the other's; answers how much that was, and what stays. */
  move(tx: Tx, move: ProjectMove): Promise<Readonly<Record<string, number>>>;
}>;
export type ProjectMove = Readonly<{ from: string; into: string }>;
