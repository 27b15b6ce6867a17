// The hub's own runs: linked to the session that their client wrote, or read from what they said where it wrote none.
import { systemActor } from '../../../kernel/principal.ts';
import { hubCaller } from '../../../store/acting.ts';
import type { Database } from '../../../store/database.ts';
import type { Dispatch } from '../../dispatch/dispatch.ts';
import type { Owner } from '../owner.ts';
import { readRun } from '../readers/runs.ts';
import { filesOf, moveFile } from '../rows/files.ts';
import { linkRun } from '../rows/sessions.ts';
import type { StoredFile } from '../rows/tables.ts';
import { keepPart } from './keep.ts';
import { shapeTurn } from './shape.ts';
import type { Locate } from './whereabouts.ts';

export type RunParts = Readonly<{
  db: Database;
  own: Owner;
  locate: Locate;
  resultBytes: number;
  dispatch: Pick<Dispatch, 'at'>;
  /** Runs of other hubs at a shared database are other people's. */
  isOwn(run: HubRun): boolean;
}>;

export type HubRun = Awaited<ReturnType<Dispatch['get']>>;

const RUNS = 'holdfast';
const OVER = ['done', 'failed', 'cancelled', 'expired'] as const;
const MOST_RUNS = 200;
const FRAMES = 500;
const MOST_FRAMES = 10_000;

/** Those that ended since the last time, oldest first. How far it came is kept like the position in a file. */
export async function followRuns(parts: RunParts): Promise<void> {
  const { db, own, dispatch } = parts;
  const [before] = await db.read((q) => filesOf(q, own, RUNS));
  const since = before?.changedAt ?? 0;
  const runs = await db.read((q) =>
    dispatch.at(q, hubCaller).list({ states: [...OVER], changedSince: since, limit: MOST_RUNS }),
  );
  let kept = before;
  for (const run of runs.toReversed().filter((each) => parts.isOwn(each) && (each.closedAt ?? 0) >= since))
    kept = await keepRun(parts, run, kept);
}

async function keepRun(
  parts: RunParts,
  run: HubRun,
  before: StoredFile | undefined,
): Promise<StoredFile | undefined> {
  const { db, own, locate, resultBytes } = parts;
  const folder = run.worktree?.repository ?? run.cwd;
  const where = await locate.of(folder);
  const endedAt = run.closedAt ?? run.createdAt;
  const startedAt = run.startedAt ?? run.createdAt;
  const turns = readRun({ ...run, startedAt, endedAt }, await framesOf(parts, run.id));
  const shaped = turns.map((turn) => shapeTurn(turn, { own, client: RUNS, resultBytes }));
  const at = {
    position: (before?.position ?? 0) + 1,
    size: 0,
    changedAt: endedAt,
    digest: '',
    identity: 'runs',
  };
  return db.writeSoon(systemActor, async (tx) => {
    const row: StoredFile = {
      ...own,
      ...at,
      client: RUNS,
      path: 'runs',
      state: {},
      lines: (before?.lines ?? 0) + turns.length,
      unknown: 0,
      turns: before?.turns ?? 0,
      version: null,
      error: null,
      seenAt: tx.now,
    };
    if (!(await moveFile(tx, before, row))) return before;
    const link = { run: run.id, task: run.boardTask };
    if (run.sessionId !== null && (await linkRun(tx, own, { clientId: run.sessionId, ...link })) > 0)
      return row;
    if (!where) return row;
    const facts = { folder, model: run.model ?? undefined, startedAt, costUsd: run.costUsd ?? undefined };
    await keepPart(tx, { own, client: RUNS, clientId: run.id, facts, where, turns: shaped, at: endedAt });
    await linkRun(tx, own, { clientId: run.id, ...link });
    return row;
  });
}

async function framesOf({ db, dispatch }: RunParts, id: string) {
  const frames: { readonly id: number; readonly data: string }[] = [];
  for (let after = 0; frames.length < MOST_FRAMES;) {
    const from = after;
    const page = await db.read((q) => dispatch.at(q, hubCaller).frames(id, { after: from, limit: FRAMES }));
    frames.push(...page.filter(({ kind }) => kind === 'frame'));
    if (page.length < FRAMES) break;
    after = page.at(-1)!.id;
  }
  return frames;
}
