// Branches that do not go together, found while they are worked on.
import { createHeadReader } from '../../../kernel/git/heads.ts';
import type { Acting, Call } from '../../../store/calls.ts';
import type { Running } from '../../../store/consumers.ts';
import type { Query } from '../../../store/database.ts';
import type { Collision, CollisionSide } from './collision.ts';
import type { ListRunBranches } from './living-branches.ts';
import { allCollisions, branchesOfProject, type BranchMark, branchMarks } from './rows.ts';
import { startWatching, type WatchParts } from './watch.ts';

export type Collisions = ReturnType<typeof createCollisions>;

type CollisionParts = Omit<WatchParts, 'heads' | 'ofRuns'> & Readonly<{ acting: Acting }>;

/** A file that a branch of somebody else changes already. */
export type ChangedElsewhere = Readonly<{
  path: string;
  branch: string;
  taskId: string | null;
  agentId: string | null;
}>;

export function createCollisions({ acting, ...parts }: CollisionParts) {
  let runs: ListRunBranches | undefined;
  return {
    /** Who starts runs says which branches they work on. */
    followRuns(list: ListRunBranches): void {
      runs = list;
    },

    list: (call: Call, project: string | undefined): Promise<Collision[]> =>
      acting.look(call, async (q, { who }) => {
        const team = who.bound.team ?? project;
        const marks = new Map(
          (await branchMarks(q)).map((each) => [keyOf(each.repository, each.branch), each]),
        );
        const all = (await allCollisions(q)).filter((each) => team === undefined || each.project === team);
        return all.flatMap(({ repository, a, b, files }) => {
          const [one, other] = [a, b].map((branch) => marks.get(keyOf(repository, branch)));
          if (!one || !other) return [];
          return [
            {
              a: sideOf(one),
              b: sideOf(other),
              files: files.map(({ path, ranges }) => ({ path, ranges: [...ranges] })),
              first: one.taskId ?? one.branch,
            },
          ];
        });
      }),

    /** What other branches of a project change. */
    changedElsewhere: async (
      q: Query,
      { project, taskId }: Readonly<{ project: string; taskId: string }>,
    ): Promise<ChangedElsewhere[]> =>
      (await branchesOfProject(q, project))
        .filter((each) => each.taskId !== taskId)
        .flatMap(({ paths, branch, taskId: of, agent }) =>
          paths.map(([path]) => ({ path, branch, taskId: of, agentId: agent })),
        ),

    watch: (holder: string): Running =>
      startWatching({ ...parts, heads: createHeadReader(), ofRuns: () => runs }, holder),
  };
}

const keyOf = (repository: string, branch: string): string => `${repository}\n${branch}`;

function sideOf({ taskId, agent, branch, head }: BranchMark): CollisionSide {
  return { task: taskId, agent, branch, head };
}
