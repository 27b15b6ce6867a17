// SQL of the queue: the runs that wait for somebody to take them, and taking one.
import type { Database, Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { table } from '../../../store/table.ts';
import { type Run, runColumns } from '../run.ts';

const runs = table('runs', runColumns);

const WAITS = sql.raw(`state = 'pending' and coalesce(reason, '') <> 'cancelling'`);
const QUEUED = sql.join([WAITS, sql.raw('queued_at is not null')], ' and ');

const UNGATED = sql.join([sql.raw(`state = 'pending'`), sql.raw('queued_at is null')], ' and ');

/** Whoever comes may take it from now on; not what was cancelled meanwhile, or went to another hub. */
export function queueRun(tx: Tx, { id, fence }: Pick<Run, 'id' | 'fence'>): Promise<Run | undefined> {
  return runs.get(
    tx,
    sql`
      update runs
      set queued_at = ${tx.now}
      where id = ${id} and fence = ${fence} and ${WAITS} and queued_at is null
      returning ${runs.columns}`,
  );
}

/**
 * One statement: of all hubs that see that the one which accepted it is gone one has it, and whatever that one still says is
 * refused from here on.
 */
export function adoptRun(tx: Tx, { id, hub: from, fence }: Run, hub: string): Promise<Run | undefined> {
  return runs.get(
    tx,
    sql`
      update runs
      set fence = fence + 1, ${runs.assign({ hub, reason: null })}
      where id = ${id} and hub = ${from} and fence = ${fence} and ${WAITS} and queued_at is null
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

/**
 * Locked where it still waits as it was seen; undefined also while somebody else has it locked: whoever gives runs to many
 * goes on with the next one and looks again.
 */
export function lockQueued(tx: Tx, { id, fence }: Pick<Run, 'id' | 'fence'>): Promise<Run | undefined> {
  return runs.find(tx, sql`where id = ${id} and fence = ${fence} and ${QUEUED} ${tx.dialect.skipLocked}`);
}

/** So many are looked at together. */
const PAGE = 200;

/** What waits longest comes first. In pages to the end: runs that nobody here can have hold up none behind them, however many they are. */
export async function* queuedRuns(db: Pick<Database, 'read'>): AsyncGenerator<Run> {
  let after = sql``;
  for (;;) {
    const page = await db.read((q) =>
      runs.list(q, sql`where ${QUEUED} ${after} order by queued_at, id limit ${PAGE}`),
    );
    yield* page;
    const last = page.at(-1);
    if (page.length < PAGE || !last) return;
    after = sql`and (queued_at > ${last.queuedAt} or (queued_at = ${last.queuedAt} and id > ${last.id}))`;
  }
}

/** Runs that a hub has accepted and nobody may take yet: their turn is in its memory alone. */
export function ungatedOf(q: Query, hub: string): Promise<Run[]> {
  return runs.list(q, sql`where hub = ${hub} and ${UNGATED} order by id`);
}

/** Hubs that have runs, or that runs wait in. */
export async function hubsWithRuns(q: Query): Promise<string[]> {
  const found = await q.all<{ hub: string }>(sql`
    select distinct hub
    from runs
    where state in ('pending', 'active')`);
  return found.map(({ hub }) => hub);
}
