// Where the work of a run lies for runners, and how it comes back.
import { existsSync } from 'node:fs';
import { withGit } from '../../../kernel/git/git.ts';
import { checkoutOf } from '../../../kernel/git/repository.ts';
import { objectsOf } from '../../../kernel/git/settings.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Database } from '../../../store/database.ts';
import type { Attempt, Run, Worktree } from '../run.ts';
import { projectOf } from './git-http.ts';
import { attemptRef, fetchCommit, mirrorOf, openMirror, setBase, takeCommit, tipOf } from './mirror.ts';
import { lastPushed } from './rows.ts';
import { tidyMirrors } from './tidy-mirrors.ts';
import type { PlacedRun } from './wire.ts';

export interface WorkPlaces {
  /** Ready to be fetched by this attempt; null for a run that has no repository. */
  open(run: Run): Promise<PlacedRun['git']>;
  /** What this attempt has pushed and nobody wrote down: the hub died between git's word and its own. */
  unnoted(run: Run, attempt: Attempt): Promise<Readonly<{ pushed: string; mirror: string }> | undefined>;
  /** What was pushed last becomes the branch of the run. False: it is out of reach. */
  bringHome(run: Run): Promise<boolean>;
  /** What is kept here of runs that are over, and needed no more, goes. */
  tidy(): Promise<void>;
}

type PlaceParts = Readonly<{ db: Database; log: Log; home: string }>;

export function createWorkPlaces({ db, log, home }: PlaceParts): WorkPlaces {
  /** The last commit that was pushed, if it can be had: it may be in the mirror of a hub that is gone with its machine. */
  async function pushedOf(runId: string, mirror: string): Promise<string | undefined> {
    const pushed = await db.read((q) => lastPushed(q, runId));
    if (!pushed) return undefined;
    const { commit, n } = pushed;
    if (await fetchCommit(mirror, commit, { ...pushed, ref: attemptRef(runId, n) })) return commit;
    log.warn('what was pushed of a run is not here, and cannot be had', { run: runId, ...pushed });
    return undefined;
  }

  async function beginningOf({ repository, branch, base }: Worktree, pushed: string | undefined) {
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
      await setBase(mirror, id, await beginningOf(worktree, await pushedOf(id, mirror)));
      return {
        url: `/git/${projectOf(run)}.git`,
        ref: attemptRef(id, attempt),
        from: attemptRef(id, 'base'),
        branch: worktree.branch,
        objects: await objectsOf(mirror),
      };
    },
    async unnoted({ id, worktree }, { n, pushed: noted }) {
      const mirror = worktree && mirrorOf(home, worktree.repository);
      const pushed = mirror && existsSync(mirror) ? await tipOf(mirror, attemptRef(id, n)) : undefined;
      return mirror && pushed !== undefined && pushed !== noted ? { pushed, mirror } : undefined;
    },
    async bringHome({ id, worktree }) {
      if (!worktree || !(await db.read((q) => lastPushed(q, id)))) return true;
      const mirror = await openMirror(home, worktree.repository);
      const pushed = await pushedOf(id, mirror);
      if (pushed !== undefined) await takeCommit(mirror, worktree, pushed);
      return pushed !== undefined;
    },
    tidy: () => tidyMirrors({ db, log, home }),
  };
}
