/**
 * From a working folder to its project, as every way in asks for it. It spans several transactions, because
 * files and git are looked at between them.
 *
 * A folder that is known costs a few small files and one read. Only a working copy that is new waits for
 * its root commits, once in its life and not for long: without them a clone would become a project of its
 * own, and which of several matches decides would depend on chance. Everything else that git can tell is
 * found in the background and added. (A clone whose history takes longer than that and shares nothing else
 * with its repository, not even a remote, becomes a project of its own.)
 */
import type { Log } from '../../kernel/log.ts';
import { systemActor } from '../../kernel/principal.ts';
import type { Database } from '../../store/database.ts';
import { detect, type Detected, rootKeys, withRoots } from './detect.ts';
import type { Project } from './project.ts';
import type { Locator, Projects } from './projects.ts';

type Parts = Readonly<{ db: Database; projects: Projects; log: Log; waitMs?: number }>;

/** Long enough for the history of almost everything; a larger one is waited for in the background. */
const WAIT_MS = 3_000;

export function createLocator({ db, projects, log, waitMs = WAIT_MS }: Parts): Locator {
  const closing = new AbortController();
  const running = new Set<Promise<void>>();

  /** What starts git is loaded when a folder is new, and never by a server that only begins. */
  async function readRoots(folder: string): Promise<readonly string[]> {
    const roots = await import('./roots.ts');
    return roots.readRoots(folder, closing.signal);
  }

  async function rootsSoon({
    rootsAt,
  }: Detected): Promise<Readonly<{ roots: readonly string[]; isLate: boolean }>> {
    if (rootsAt === undefined) return { roots: [], isLate: false };
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<undefined>((resolve) => (timer = setTimeout(() => resolve(undefined), waitMs)));
    const roots = await Promise.race([readRoots(rootsAt), late]);
    clearTimeout(timer);
    return { roots: roots ?? [], isLate: roots === undefined };
  }

  async function addRoots(teamId: string, folder: string): Promise<void> {
    const roots = await readRoots(folder);
    if (roots.length === 0 || closing.signal.aborted) return;
    await db.write(systemActor, (tx) => projects.addKeys(tx, teamId, rootKeys(roots)));
  }

  function learnRoots(teamId: string, { rootsAt }: Detected): void {
    if (rootsAt === undefined || closing.signal.aborted) return;
    const work = addRoots(teamId, rootsAt).catch((error: unknown) =>
      log.warn('the root commits of a project were not kept', { teamId, error }),
    );
    void finish(work);
  }

  /** Who closes the database after us must not do so under somebody's feet. */
  async function finish<T>(work: Promise<T>): Promise<T> {
    const settled = work.then(nothing, nothing);
    running.add(settled);
    void settled.then(() => running.delete(settled));
    return work;
  }

  async function locate(folder: string): Promise<Project | undefined> {
    const seen = await detect(folder);
    if (seen.keys.length === 0) return undefined;
    const known = await db.read((q) => projects.find(q, seen));
    if (known && (known.isCertain || seen.rootsAt === undefined)) {
      if (!known.isComplete)
        await db.write(systemActor, (tx) => projects.addKeys(tx, known.project.teamId, seen.own));
      if (!known.hasRoots) learnRoots(known.project.teamId, seen);
      return known.project;
    }
    const { roots, isLate } = await rootsSoon(seen);
    // Interrupted, nothing is known of its history: better no project now than a second one for good.
    if (closing.signal.aborted) return undefined;
    const project = await db.write(systemActor, (tx) => projects.resolve(tx, withRoots(seen, roots)));
    if (isLate) learnRoots(project.teamId, seen);
    return project;
  }

  async function find(folder: string): Promise<Project | undefined> {
    const seen = await detect(folder);
    if (seen.keys.length === 0) return undefined;
    const known = await db.read((q) => projects.find(q, seen));
    if (known?.isCertain || seen.rootsAt === undefined) return known?.project;
    const { roots } = await rootsSoon(seen);
    return (await db.read((q) => projects.find(q, withRoots(seen, roots))))?.project;
  }

  async function foresee(folder: string): Promise<string | undefined> {
    const seen = await detect(folder);
    return seen.keys.length === 0 ? undefined : db.read((q) => projects.foresee(q, seen.name));
  }

  return {
    foresee: (folder) => finish(foresee(folder)),
    locate: (folder) => finish(locate(folder)),
    find: (folder) => finish(find(folder)),
    async close() {
      closing.abort();
      await Promise.all(running);
    },
  };
}

function nothing(): void {}
