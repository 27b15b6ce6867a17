// SQL of compactions and their steps, kept so that they can be taken back.
import { newId } from '../../../kernel/ids.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import {
  json,
  named,
  number,
  numberOrNull,
  type RecordOf,
  table,
  text,
  textOrNull,
} from '../../../store/table.ts';
import type { Contradiction } from '../memory.ts';

const runs = table('brain_runs', {
  id: text(),
  vault: text(),
  state: text<'running' | 'done' | 'undone'>(),
  policy: text(),
  consolidated: number(),
  promoted: number(),
  pruned: number(),
  startedAt: number(),
  finishedAt: numberOrNull(),
});
type CompactionRow = Readonly<RecordOf<typeof runs.fields>>;
const NOTHING_YET = { consolidated: 0, promoted: 0, pruned: 0, finishedAt: null };

export function insertRun(
  tx: Tx,
  run: Readonly<{ id: string; vault: string; policy: string }>,
): Promise<void> {
  return runs.insert(tx, { ...run, ...NOTHING_YET, state: 'running', startedAt: tx.now });
}

type Finished = Pick<CompactionRow, 'state'> & Partial<Omit<typeof NOTHING_YET, 'finishedAt'>>;

export async function finishRun(tx: Tx, id: string, finished: Finished): Promise<void> {
  await runs.update(tx, { ...finished, finishedAt: tx.now }, sql`where id = ${id}`);
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
  return runs.find(
    q,
    sql`
    where vault = ${vault} and state <> 'undone' and id in (select run from brain_steps)
    order by id desc
    limit 1`,
  );
}

const steps = table('brain_steps', { run: text(), seq: number(), entry: text() });
type Step = Readonly<RecordOf<typeof steps.fields>>;

export async function insertStep(tx: Tx, step: Step): Promise<void> {
  await tx.run(sql`
    insert into brain_steps ${steps.values(step)}
    on conflict (run, seq) do nothing`);
}

/** Last step first: the order in which they are taken back. */
export function stepsOf(q: Query, run: string): Promise<Step[]> {
  return steps.list(q, sql`where run = ${run} order by seq desc`);
}

export async function deleteStep(tx: Tx, run: string, seq: number): Promise<void> {
  await steps.delete(tx, sql`where run = ${run} and seq = ${seq}`);
}

/** Only the last run can be taken back, so older ones need not keep their texts. */
export async function forgetStepsBefore(tx: Tx, vault: string, run: string): Promise<void> {
  await steps.delete(
    tx,
    sql`where run in (select id from brain_runs where vault = ${vault} and id < ${run})`,
  );
}

const logged = table('lifecycle_log', {
  id: text(),
  vault: text(),
  run: textOrNull(),
  action: text(),
  targets: named('target_ids', json<readonly string[]>()),
  details: text(),
  at: named('created_at', number()),
});
type LoggedRow = Readonly<RecordOf<typeof logged.fields>>;
export type LogEntry = Pick<LoggedRow, 'run' | 'action' | 'targets' | 'details'>;

export function insertLog(tx: Tx, vault: string, entry: LogEntry): Promise<void> {
  return logged.insert(tx, { ...entry, id: newId(), vault, at: tx.now });
}

/** Newest first. */
export function listLog(q: Query, vault: string, limit: number): Promise<LoggedRow[]> {
  return logged.list(q, sql`where vault = ${vault} order by id desc limit ${limit}`);
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
