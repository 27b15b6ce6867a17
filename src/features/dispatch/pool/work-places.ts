// Where the work of a run lies for runners, and how it comes back.
import { withGit } from '../../../kernel/git/git.ts';
import { checkoutOf } from '../../../kernel/git/repository.ts';
import type { Database } from '../../../store/database.ts';
import type { Run, Worktree } from '../run.ts';
import { projectOf } from './git-http.ts';
import { attemptRef, openMirror, setBase, takeCommit } from './mirror.ts';
import { lastPushed } from './rows.ts';
import type { PlacedRun } from './wire.ts';

export interface WorkPlaces {
  /** Ready to be fetched by this attempt; null for a run that has no repository. */
  open(run: Run): Promise<PlacedRun['git']>;
  /** What was pushed last becomes the branch of the run. */
  bringHome(run: Run): Promise<void>;
}

export function createWorkPlaces({ db, home }: Readonly<{ db: Database; home: string }>): WorkPlaces {
  async function beginningOf({ repository, branch, base }: Worktree, runId: string): Promise<string> {
    const pushed = await db.read((q) => lastPushed(q, runId));
    if (pushed !== undefined) return pushed;
    const place = await checkoutOf(repository);
    const look = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`];
    const tip = (await withGit({ place }, ({ ask }) => ask(...look))).stdout.trim();
    return tip === '' ? base : tip;
  }

  return {
    async open(run) {
      const { id, attempt, worktree } = run;
      if (!worktree) return null;
      const mirror = await openMirror(home, worktree.repository);
      await setBase(mirror, id, await beginningOf(worktree, id));
      const url = `/git/${projectOf(run)}.git`;
      return { url, ref: attemptRef(id, attempt), from: attemptRef(id, 'base'), branch: worktree.branch };
    },
    async bringHome({ id, worktree }) {
      const pushed = worktree && (await db.read((q) => lastPushed(q, id)));
      if (pushed) await takeCommit(await openMirror(home, worktree.repository), worktree, pushed);
    },
  };
}
