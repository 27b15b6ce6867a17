// SQL of the queue: the runs that wait for somebody to take them, and taking one.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { table } from '../../../store/table.ts';
import { type Run, runColumns } from '../run.ts';

const runs = table('runs', runColumns);

const WAITS = sql.raw(`state = 'pending' and coalesce(reason, '') <> 'cancelling'`);
const QUEUED = sql.join([WAITS, sql.raw('queued_at is not null')], ' and ');

/** Whoever comes may take it from now on. */
export function queueRun(tx: Tx, id: string): Promise<Run | undefined> {
  return runs.get(
    tx,
    sql`
      update runs
      set queued_at = ${tx.now}
      where id = ${id} and state = 'pending' and queued_at is null
      returning ${runs.columns}`,
  );
}

/** Who takes it: under which name it is shown, and which hub speaks for it. */
type Taker = Readonly<{ runner: string; hub: string }>;

/**
 * One statement decides: of all who want a run that waits one has it, and whatever the one before it says is
 * refused from here on. A hub takes what was sent to it without a queue. Proven by test/contract/pool-model.test.ts.
 */
export function claimRun(tx: Tx, id: string, { runner, hub }: Taker): Promise<Run | undefined> {
  const taken = { runner, hub, state: 'active', reason: 'starting', queuedAt: null } as const;
  return runs.get(
    tx,
    sql`
      update runs
      set attempt = attempt + 1, fence = fence + 1, ${runs.assign(taken)}
      where id = ${id} and ${WAITS} and (queued_at is not null or hub = ${hub})
      returning ${runs.columns}`,
  );
}

/** What waits longest comes first. */
export function listQueued(q: Query, limit: number): Promise<Run[]> {
  return runs.list(q, sql`where ${QUEUED} order by queued_at, id limit ${limit}`);
}

/** Runs that wait for their turn in the memory of a hub: nobody else knows of them. */
export function ungatedOf(q: Query, hub: string): Promise<Run[]> {
  return runs.list(q, sql`where hub = ${hub} and state = 'pending' and queued_at is null order by id`);
}

/** Hubs that have runs, or that runs wait in. */
export async function hubsWithRuns(q: Query): Promise<string[]> {
  const found = await q.all<{ hub: string }>(sql`
    select distinct hub
    from runs
    where state in ('pending', 'active')`);
  return found.map(({ hub }) => hub);
}
