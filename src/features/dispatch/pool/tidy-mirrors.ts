// What mirrors hold of runs that are over: taken away once the branch of the run has it, or the run itself is forgotten. Never
// what an attempt needs that is under way, nor the work of one whose branch has gone on without it.
import { readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { withGit } from '../../../kernel/git/git.ts';
import { checkoutOf, inTurn } from '../../../kernel/git/repository.ts';
import type { Log } from '../../../kernel/log.ts';
import type { Database } from '../../../store/database.ts';
import { findRun, openWorktrees } from '../rows/runs.ts';
import { isOver } from '../rules.ts';
import { attemptRefs, dropRefs, mirrorOf, mirrorsIn, packAnew } from './mirror.ts';
import { lastPushed } from './rows.ts';

type TidyParts = Readonly<{ db: Database; log: Log; home: string }>;

/** A run that is not in this database may be one of another that this home is used with: not while it is fresh. */
const STRANGE_MS = 86_400_000;

export async function tidyMirrors({ db, log, home }: TidyParts): Promise<void> {
  for (const mirror of await mirrorsIn(home))
    await inTurn(mirror, () => tidy(mirror)).catch((error: unknown) =>
      log.warn('a mirror could not be tidied', { mirror, error }),
    );

  async function tidy(mirror: string): Promise<void> {
    const refs = await attemptRefs(mirror);
    const runs = [...new Set(refs.map(({ run }) => run))];
    const gone = new Set<string>();
    for (const run of runs) if (await isNeedless(mirror, run)) gone.add(run);
    if (gone.size === 0 && runs.length > 0) return;
    await dropRefs(
      mirror,
      refs.flatMap(({ run, ref }) => (gone.has(run) ? [ref] : [])),
    );
    // Whoever fetches or pushes has a run that is open; whoever begins one waits for its turn here.
    const open = await db.read(openWorktrees);
    if (open.some(({ worktree }) => mirrorOf(home, worktree.repository) === mirror)) return;
    if (gone.size < runs.length) return packAnew(mirror);
    // Made again when it is needed.
    const leaving = `${mirror}.gone`;
    await rm(leaving, { recursive: true, force: true });
    await rename(mirror, leaving);
    await rm(leaving, { recursive: true, force: true });
  }

  async function isNeedless(mirror: string, id: string): Promise<boolean> {
    const [run, pushed] = await db.read(
      async (q) => [await findRun(q, id), await lastPushed(q, id)] as const,
    );
    if (!run) return isOld(join(mirror, 'refs', 'heads', 'holdfast', id));
    if (!isOver(run.state)) return false;
    if (pushed === undefined || !run.worktree) return true;
    const { repository, branch } = run.worktree;
    // Nobody has taken it, and nobody can; it goes with the run.
    const place = await checkoutOf(repository).catch(() => undefined);
    if (!place) return false;
    const ask = ['merge-base', '--is-ancestor', pushed.commit, `refs/heads/${branch}`];
    return withGit({ place }, async (git) => (await git.ask(...ask)).code === 0);
  }

  async function isOld(folder: string): Promise<boolean> {
    const names = await readdir(folder).catch(() => []);
    const times = await Promise.all(names.map(async (name) => (await stat(join(folder, name))).mtimeMs));
    return Math.max(0, ...times) < db.now() - STRANGE_MS;
  }
}
