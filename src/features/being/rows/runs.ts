// SQL of patrols. One statement decides who patrols a Being; whoever lost its lease proves nothing any more.
import { type LeaseHold, leaseIn } from '../../../store/lease.ts';
import { sql } from '../../../store/sql.ts';
import { json, named, number, numberOrNull, type RecordOf, text, textOrNull } from '../../../store/table.ts';
import type { Node } from './nodes.ts';
import { beingTable, type Held, type Seen } from './whose.ts';

/** Who patrols a Being, and until when. */
const patrol = leaseIn({ table: 'beings', key: 'id', holder: 'run_holder', until: 'run_until' });

/**
 * The one statement that decides who patrols: it takes a Being that nobody holds, or whose holder's lease has ended.
 * Test: two patrols at once, in test/contract/being-patrol.test.ts.
 */
export function takeRun(
  { tx, being }: Held,
  hold: LeaseHold,
): Promise<{ run_id: string | null } | undefined> {
  return tx.get<{ run_id: string | null }>(sql`
    update beings
    set ${patrol.taken(tx, hold)}
    where id = ${being} and ${patrol.isFree(tx, hold)}
    returning run_id`);
}

/** False when somebody else has taken over. */
export const proveRun = ({ tx, being }: Held, hold: LeaseHold): Promise<boolean> =>
  patrol.keep(tx, being, hold);

export async function setRun({ tx, being }: Held, holder: string, run: string | null): Promise<void> {
  await tx.run(sql`
    update beings
    set run_id = ${run}
    where ${patrol.isHeld(being, holder)}`);
}

export const freeRun = ({ tx, being }: Held, holder: string): Promise<void> => patrol.free(tx, being, holder);

const runs = beingTable('being_runs', {
  id: text(),
  state: text<'active' | 'done' | 'failed'>(),
  step: textOrNull(),
  markerGiven: textOrNull(),
  stats: json<Readonly<Record<string, number>>>(),
  problem: textOrNull(),
  startedAt: number(),
  endedAt: numberOrNull(),
});
export type RunRow = Readonly<RecordOf<typeof runs.fields>>;

export function insertRun(self: Held, id: string, markerGiven: string | null): Promise<void> {
  return runs.insert(self, {
    id,
    state: 'active',
    step: null,
    markerGiven,
    stats: {},
    problem: null,
    startedAt: self.tx.now,
    endedAt: null,
  });
}

export function runById(self: Seen, id: string): Promise<RunRow | undefined> {
  return runs.one(self, sql`and id = ${id}`);
}

export function lastRuns(self: Seen, limit: number): Promise<RunRow[]> {
  return runs.all(self, sql`order by id desc limit ${limit}`);
}

type RunProgress = Pick<RunRow, 'step' | 'stats'> & Partial<Pick<RunRow, 'state'>>;

export async function saveRun(self: Held, id: string, progress: RunProgress): Promise<void> {
  const { step, stats, state = 'active' } = progress;
  const endedAt = state === 'active' ? null : self.tx.now;
  await runs.change(self, { step, stats, state, problem: null, endedAt }, sql`and id = ${id}`);
}

const steps = beingTable('being_run_steps', {
  runId: text(),
  step: text(),
  outcome: text<'done' | 'skipped' | 'failed'>(),
  details: json<Readonly<Record<string, unknown>>>(),
  at: number(),
});
export type StepRow = Readonly<RecordOf<typeof steps.fields>>;

export function insertStep(self: Held, step: Omit<StepRow, 'at'>): Promise<void> {
  const { runId, step: name, outcome, details } = step;
  return steps.insert(self, { runId, step: name, outcome, details, at: self.tx.now });
}

export function stepsOf(self: Seen, run: string): Promise<StepRow[]> {
  return steps.all(self, sql`and run_id = ${run} order by at, step`);
}

const merges = beingTable('being_merges', {
  id: text(),
  runId: textOrNull(),
  survivor: text(),
  absorbed: json<readonly string[]>(),
  before: json<readonly Node[]>(),
  at: named('created_at', number()),
  undoneAt: numberOrNull(),
});
export type MergeRow = Readonly<RecordOf<typeof merges.fields>>;

export function insertMerge(self: Held, merge: Omit<MergeRow, 'undoneAt'>): Promise<void> {
  const { id, runId, survivor, absorbed, before, at } = merge;
  return merges.insert(self, { id, runId, survivor, absorbed, before, at, undoneAt: null });
}

export function mergeById(self: Seen, id: string): Promise<MergeRow | undefined> {
  return merges.one(self, sql`and id = ${id}`);
}

export function lastMerges(self: Seen, limit: number): Promise<MergeRow[]> {
  return merges.all(self, sql`order by id desc limit ${limit}`);
}

/** Merges that somebody took back. */
export function undoneMerges(self: Seen): Promise<MergeRow[]> {
  return merges.all(self, sql`and undone_at is not null`);
}

export function markUndone(self: Held, id: string): Promise<number> {
  return merges.change(self, { undoneAt: self.tx.now }, sql`and id = ${id} and undone_at is null`);
}
