// SQL of compactions and their steps, kept so that they can be taken back.
import { newId } from '../../../kernel/ids.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { json, named, number, type RecordOf, table, text } from '../../../store/table.ts';
import type { Contradiction } from '../memory.ts';

type RunState = 'running' | 'done' | 'undone';
export type CompactionRow = Readonly<{
  id: string;
  state: RunState;
  consolidated: number;
  promoted: number;
  pruned: number;
  started_at: number;
  finished_at: number | null;
}>;

export async function insertRun(
  tx: Tx,
  vault: string,
  run: Readonly<{ id: string; policy: string }>,
): Promise<void> {
  await tx.run(sql`
    insert into brain_runs (id, vault, state, policy, started_at)
    values (${run.id}, ${vault}, 'running', ${run.policy}, ${tx.now})`);
}

type CompactionCounts = Readonly<{ consolidated: number; promoted: number; pruned: number }>;

type Finished = Readonly<{ state: RunState; counts?: CompactionCounts }>;

export async function finishRun(tx: Tx, id: string, { state, counts }: Finished): Promise<void> {
  const totals = counts
    ? sql`, consolidated = ${counts.consolidated}, promoted = ${counts.promoted}, pruned = ${counts.pruned}`
    : sql.empty;
  await tx.run(sql`
    update brain_runs
    set state = ${state}, finished_at = ${tx.now}${totals}
    where id = ${id}`);
}

/** A run that was cut short, and how many steps it had taken. Only for who is alone on the vault: nobody else is running one. */
export function unfinishedRun(q: Query, vault: string): Promise<{ id: string; steps: number } | undefined> {
  return q.get<{ id: string; steps: number }>(sql`
    select id, (
      select coalesce(max(seq) + 1, 0)
      from brain_steps
      where run = brain_runs.id
    ) as steps
    from brain_runs
    where vault = ${vault} and state = 'running'
    order by id desc
    limit 1`);
}

/** The newest run that has something left to take back. */
export function lastRun(q: Query, vault: string): Promise<CompactionRow | undefined> {
  return q.get<CompactionRow>(sql`
    select id, state, consolidated, promoted, pruned, started_at, finished_at
    from brain_runs
    where vault = ${vault} and state <> 'undone' and id in (select run from brain_steps)
    order by id desc
    limit 1`);
}

export async function insertStep(
  tx: Tx,
  step: Readonly<{ run: string; seq: number; entry: string }>,
): Promise<void> {
  await tx.run(sql`
    insert into brain_steps (run, seq, entry)
    values (${step.run}, ${step.seq}, ${step.entry})
    on conflict (run, seq) do nothing`);
}

/** Last step first: the order in which they are taken back. */
export function stepsOf(q: Query, run: string): Promise<{ seq: number; entry: string }[]> {
  return q.all<{ seq: number; entry: string }>(sql`
    select seq, entry
    from brain_steps
    where run = ${run}
    order by seq desc`);
}

export async function deleteStep(tx: Tx, run: string, seq: number): Promise<void> {
  await tx.run(sql`
    delete from brain_steps
    where run = ${run} and seq = ${seq}`);
}

/** Only the last run can be taken back, so older ones need not keep their texts. */
export async function forgetStepsBefore(tx: Tx, vault: string, run: string): Promise<void> {
  await tx.run(sql`
    delete from brain_steps
    where run in (
      select id
      from brain_runs
      where vault = ${vault} and id < ${run}
    )`);
}

export type LogEntry = Readonly<{
  run: string | null;
  action: string;
  targets: readonly string[];
  details: string;
}>;

export async function insertLog(tx: Tx, vault: string, entry: LogEntry): Promise<void> {
  await tx.run(sql`
    insert into lifecycle_log (id, vault, run, action, target_ids, details, created_at)
    values (${newId()}, ${vault}, ${entry.run}, ${entry.action}, ${JSON.stringify(entry.targets)}, ${entry.details}, ${tx.now})`);
}

const logged = table('lifecycle_log', {
  action: text(),
  targets: named('target_ids', json<readonly string[]>()),
  details: text(),
  at: named('created_at', number()),
});
export type LoggedRow = Readonly<RecordOf<typeof logged.fields>>;

/** Newest first. */
export function listLog(q: Query, vault: string, limit: number): Promise<LoggedRow[]> {
  return logged.all(
    q,
    sql`
    select ${logged.columns}
    from lifecycle_log
    where vault = ${vault}
    order by id desc
    limit ${limit}`,
  );
}

/** What an update said against others. The newest text of a memory decides, so older findings about it are replaced. */
export async function replaceContradictions(
  tx: Tx,
  vault: string,
  { id, found }: Readonly<{ id: string; found: readonly Contradiction[] }>,
): Promise<void> {
  await tx.run(sql`
    delete from contradictions
    where vault = ${vault} and memory_a_id = ${id} and resolution = 'unresolved'`);
  for (const { with: other, why, mine, theirs } of found) {
    await tx.run(sql`
      insert into contradictions (id, vault, memory_a_id, memory_b_id, description, resolution, created_at)
      values (${newId()}, ${vault}, ${id}, ${other}, ${`${why}: "${mine}" / "${theirs}"`}, 'unresolved', ${tx.now})`);
  }
}
