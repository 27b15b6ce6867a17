// SQL of patrols. One statement decides who patrols a Being; whoever lost its lease proves nothing any
// more.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export type RunRow = Readonly<{
  id: string;
  state: 'active' | 'done' | 'failed';
  step: string | null;
  marker_given: string | null;
  stats: string;
  problem: string | null;
  started_at: number;
  ended_at: number | null;
}>;

/**
 * The one statement that decides who patrols: it takes a Being that nobody holds, or whose holder's lease has ended.
 * Test: two patrols at once, in test/contract/being-patrol.test.ts.
 */
export function takeRun(
  tx: Tx,
  being: string,
  holder: string,
  until: number,
): Promise<{ run_id: string | null } | undefined> {
  return tx.get<{ run_id: string | null }>(sql`
    update beings
    set run_holder = ${holder}, run_until = ${until}
    where id = ${being} and (run_holder is null or run_until <= ${tx.now})
    returning run_id`);
}

/** False when somebody else has taken over. */
export async function proveRun(tx: Tx, being: string, holder: string, until: number): Promise<boolean> {
  const kept = await tx.run(sql`
    update beings
    set run_until = ${until}
    where id = ${being} and run_holder = ${holder}`);
  return kept === 1;
}

export async function setRun(tx: Tx, being: string, holder: string, run: string | null): Promise<void> {
  await tx.run(sql`
    update beings
    set run_id = ${run}
    where id = ${being} and run_holder = ${holder}`);
}

export async function freeRun(tx: Tx, being: string, holder: string): Promise<void> {
  await tx.run(sql`
    update beings
    set run_holder = null, run_until = 0
    where id = ${being} and run_holder = ${holder}`);
}

export async function insertRun(
  tx: Tx,
  being: string,
  id: string,
  markerGiven: string | null,
): Promise<void> {
  await tx.run(sql`
    insert into being_runs (being_id, id, state, marker_given, stats, started_at)
    values (${being}, ${id}, 'active', ${markerGiven}, '{}', ${tx.now})`);
}

export function runById(q: Query, being: string, id: string): Promise<RunRow | undefined> {
  return q.get<RunRow>(sql`
    select id, state, step, marker_given, stats, problem, started_at, ended_at
    from being_runs
    where being_id = ${being} and id = ${id}`);
}

export function lastRuns(q: Query, being: string, limit: number): Promise<RunRow[]> {
  return q.all<RunRow>(sql`
    select id, state, step, marker_given, stats, problem, started_at, ended_at
    from being_runs
    where being_id = ${being}
    order by id desc
    limit ${limit}`);
}

type RunProgress = Readonly<{
  step: string | null;
  stats: string;
  state?: RunRow['state'];
  problem?: string | null;
}>;

export async function saveRun(tx: Tx, being: string, id: string, progress: RunProgress): Promise<void> {
  const { step, stats, state = 'active', problem = null } = progress;
  await tx.run(sql`
    update being_runs
    set step = ${step}, stats = ${stats}, state = ${state}, problem = ${problem},
        ended_at = ${state === 'active' ? null : tx.now}
    where being_id = ${being} and id = ${id}`);
}

export type StepRow = Readonly<{
  step: string;
  outcome: 'done' | 'skipped' | 'failed';
  details: string;
  at: number;
}>;

export async function insertStep(
  tx: Tx,
  being: string,
  run: string,
  step: Omit<StepRow, 'at'>,
): Promise<void> {
  await tx.run(sql`
    insert into being_run_steps (being_id, run_id, step, outcome, details, at)
    values (${being}, ${run}, ${step.step}, ${step.outcome}, ${step.details}, ${tx.now})`);
}

export function stepsOf(q: Query, being: string, run: string): Promise<StepRow[]> {
  return q.all<StepRow>(sql`
    select step, outcome, details, at
    from being_run_steps
    where being_id = ${being} and run_id = ${run}
    order by at, step`);
}

export type MergeRow = Readonly<{
  id: string;
  run_id: string | null;
  survivor: string;
  absorbed: string;
  before: string;
  created_at: number;
  undone_at: number | null;
}>;

export async function insertMerge(tx: Tx, being: string, merge: Omit<MergeRow, 'undone_at'>): Promise<void> {
  await tx.run(sql`
    insert into being_merges (being_id, id, run_id, survivor, absorbed, before, created_at)
    values (
      ${being}, ${merge.id}, ${merge.run_id}, ${merge.survivor}, ${merge.absorbed}, ${merge.before}, ${merge.created_at}
    )`);
}

export function mergeById(q: Query, being: string, id: string): Promise<MergeRow | undefined> {
  return q.get<MergeRow>(sql`
    select id, run_id, survivor, absorbed, before, created_at, undone_at
    from being_merges
    where being_id = ${being} and id = ${id}`);
}

export function lastMerges(q: Query, being: string, limit: number): Promise<MergeRow[]> {
  return q.all<MergeRow>(sql`
    select id, run_id, survivor, absorbed, before, created_at, undone_at
    from being_merges
    where being_id = ${being}
    order by id desc
    limit ${limit}`);
}

/** Merges that somebody took back. */
export function undoneMerges(q: Query, being: string): Promise<Pick<MergeRow, 'survivor' | 'before'>[]> {
  return q.all<Pick<MergeRow, 'survivor' | 'before'>>(sql`
    select survivor, before
    from being_merges
    where being_id = ${being} and undone_at is not null`);
}

export function markUndone(tx: Tx, being: string, id: string): Promise<number> {
  return tx.run(sql`
    update being_merges
    set undone_at = ${tx.now}
    where being_id = ${being} and id = ${id} and undone_at is null`);
}
