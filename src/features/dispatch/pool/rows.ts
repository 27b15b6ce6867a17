// SQL of runners: what each says it has, and when it was last heard.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { flag, json, number, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';
import { ATTEMPT_LEASE_MS } from '../rows/attempts.ts';
import { type Attempt, attemptColumns } from '../run.ts';

/** An agent as a runner has it. */
type OfferedAgent = Readonly<{ instance: string; family: string; lane: 'acp' | 'exec' }>;

const runners = table('runners', {
  name: text(),
  tokenId: textOrNull(),
  /** The folder that it keeps its spool in: another process with this name has another one. */
  process: text(),
  /** Set where it is a hub that takes runs itself. */
  hub: textOrNull(),
  machine: text(),
  system: text(),
  version: text(),
  slots: number(),
  agents: json<readonly OfferedAgent[]>(),
  labels: json<readonly string[]>(),
  projects: json<readonly string[]>(),
  drained: flag(),
  seenAt: number(),
});
export type Runner = Readonly<RecordOf<typeof runners.fields>>;

const attempts = table('run_attempts', attemptColumns);

export const findRunner = (q: Query, name: string): Promise<Runner | undefined> =>
  runners.find(q, sql`where name = ${name}`);

export const listRunners = (q: Query): Promise<Runner[]> => runners.list(q, sql`order by name`);

/** Whether it is drained is not its own to say. */
export async function saveRunner(tx: Tx, runner: Runner): Promise<void> {
  await tx.run(sql`
    insert into runners ${runners.values(runner)}
    on conflict (name) do update
    set ${runners.overwriteBut(['name', 'drained'])}`);
}

export const drainRunner = (tx: Tx, name: string): Promise<number> =>
  runners.update(tx, { drained: true }, sql`where name = ${name}`);

export const dropRunnersBefore = (tx: Tx, before: number): Promise<number> =>
  runners.delete(tx, sql`where seen_at < ${before}`);

export const findAttempt = (q: Query, runId: string, n: number): Promise<Attempt | undefined> =>
  attempts.find(q, sql`where run_id = ${runId} and n = ${n}`);

/** Open attempts by holder. */
export async function countOpen(q: Query): Promise<ReadonlyMap<string, number>> {
  const rows = await q.all<{ holder: string; n: number }>(sql`
    select holder, count(*) as n
    from run_attempts
    where ended_at is null
    group by holder`);
  return new Map(rows.map(({ holder, n }) => [holder, n]));
}

type Reports = Pick<Attempt, 'runId' | 'n'>;

/** Whoever says something lives. */
export async function hearAttempt(
  tx: Tx,
  { runId, n }: Reports,
  change: Partial<Attempt> = {},
): Promise<number> {
  const leaseUntil = tx.now + ATTEMPT_LEASE_MS;
  await attempts.update(
    tx,
    { ...change, leaseUntil },
    sql`where run_id = ${runId} and n = ${n} and ended_at is null`,
  );
  return leaseUntil;
}

/** The last commit that any attempt of this run pushed. */
export async function lastPushed(q: Query, runId: string): Promise<string | undefined> {
  const found = await attempts.find(
    q,
    sql`where run_id = ${runId} and pushed is not null order by n desc limit 1`,
  );
  return found?.pushed ?? undefined;
}
