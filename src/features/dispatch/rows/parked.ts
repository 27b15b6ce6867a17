// SQL of runs that wait for their model.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { table } from '../../../store/table.ts';
import { type Run, runColumns } from '../run.ts';

const runs = table('runs', runColumns);

const PARKED = sql.raw(`state = 'active' and reason = 'waiting_quota'`);

export function parkedRuns(q: Query): Promise<Run[]> {
  return runs.list(q, sql`where ${PARKED} order by wait_until`);
}

/** One statement: of all hubs that see it is due one has it, and none once somebody ended it. */
export function wakeRun(tx: Tx, { id, hub, waitUntil, quota }: Run): Promise<Run | undefined> {
  const change = {
    state: 'pending',
    reason: null,
    waitUntil: null,
    hub,
    quota: quota && { ...quota, waits: null },
  } as const;
  return runs.get(
    tx,
    sql`
      update runs
      set ${runs.assign(change)}
      where id = ${id} and ${PARKED} and wait_until = ${waitUntil}
      returning ${runs.columns}`,
  );
}
