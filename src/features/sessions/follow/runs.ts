// The hub's own runs: linked to the session that their client wrote, or read from what they said where it wrote none.
import { systemActor } from '../../../kernel/principal.ts';
import { hubCaller } from '../../../store/calls.ts';
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
  dispatch: Pick<Dispatch, 'at' | 'hub'>;
}>;

type HubRun = Awaited<ReturnType<Dispatch['get']>>;

const RUNS = 'holdfast';
/** Nothing was read yet. */
const NONE = {
  client: RUNS,
  path: 'runs',
  identity: 'runs',
  position: 0,
  size: 0,
  changedAt: 0,
  digest: '',
  lines: 0,
  unknown: 0,
  turns: 0,
  version: null,
  error: null,
};
const OVER = ['done', 'failed', 'cancelled', 'expired'] as const;
const MOST_RUNS = 200;
const FRAMES = 500;
const MOST_FRAMES = 10_000;

/**
 * Those that ended since the last time, in the order in which they ended: how far it came is kept like the position in a file, so
 * one that ended before must never come after it.
 */
export async function followRuns(parts: RunParts): Promise<void> {
  const { db, own, dispatch } = parts;
  let [kept] = await db.read((q) => filesOf(q, own, RUNS));
  const hubs = hubsIn(kept);
  // Written down before anything of it ends: after a restart it is still known whose runs they were.
  if (!hubs.includes(dispatch.hub)) kept = await noteHub(parts, kept);
  for (const { id } of await endedSince(parts, kept))
    kept = await keepRun(parts, await db.read((q) => dispatch.at(q, hubCaller).get(id)), kept);
}

/** The processes of this owner's hubs: at a shared database the runs of others are other people's. */
type RunsState = StoredFile['state'] & Readonly<{ hubs?: readonly string[] }>;
const MOST_HUBS = 200;
function hubsIn(file: StoredFile | undefined): readonly string[] {
  const state: RunsState | undefined = file?.state;
  return state?.hubs ?? [];
}

function noteHub(
  { db, own, dispatch }: RunParts,
  before: StoredFile | undefined,
): Promise<StoredFile | undefined> {
  const state: RunsState = { hubs: [...hubsIn(before), dispatch.hub].slice(-MOST_HUBS) };
  return db.writeSoon(systemActor, async (tx) => {
    const row: StoredFile = { ...(before ?? { ...own, ...NONE }), state, seenAt: tx.now };
    return (await moveFile(tx, before, row)) ? row : before;
  });
}

type Ended = Readonly<{ id: string; at: number }>;

/** All of them, by their ids alone: a run has a prompt, and there may be thousands. */
async function endedSince(
  { db, dispatch }: RunParts,
  kept: StoredFile | undefined,
): Promise<readonly Ended[]> {
  const since = kept?.changedAt ?? 0;
  const hubs = hubsIn(kept);
  const isOwn = ({ hub }: HubRun) => !db.dialect.isShared || hubs.includes(hub);
  const ended: Ended[] = [];
  for (let last: string | undefined; ;) {
    const page = { states: [...OVER], changedSince: since, limit: MOST_RUNS, before: last };
    const runs = await db.read((q) => dispatch.at(q, hubCaller).list(page));
    for (const run of runs) if (isOwn(run)) ended.push({ id: run.id, at: run.closedAt ?? run.createdAt });
    if (runs.length < MOST_RUNS) break;
    last = runs.at(-1)!.id;
  }
  return ended.filter(({ at }) => at >= since).toSorted((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));
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
  return db.writeSoon(systemActor, async (tx) => {
    const from = before ?? { ...own, ...NONE, state: {} };
    const row: StoredFile = {
      ...from,
      position: from.position + 1,
      changedAt: endedAt,
      lines: from.lines + turns.length,
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
