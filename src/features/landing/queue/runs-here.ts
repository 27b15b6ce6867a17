import type { Query } from '../../../store/database.ts';
import type { ListRunBranches } from '../collisions/living-branches.ts';

/** What landing asks of runs, and what it tells them. */
export interface RunsHere {
  /** The newest run whose branch this is, of this task. */
  runOn(q: Query, at: Readonly<{ taskId: string; branch: string }>): Promise<string | undefined>;
  /** Those that runs work on now. */
  readonly branches: ListRunBranches;
  /** There is a conflict that another run may be wanted for. */
  conflicted(): void;
}

export const NO_RUNS: RunsHere = {
  runOn: async () => undefined,
  branches: async () => [],
  conflicted: () => undefined,
};
