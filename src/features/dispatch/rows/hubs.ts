import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { number, type RecordOf, table, text } from '../../../store/table.ts';

const hubs = table('run_hubs', {
  hub: text(),
  host: text(),
  pid: number(),
  born: text(),
  leaseUntil: number(),
});
export type RunHub = Readonly<RecordOf<typeof hubs.fields>>;

export async function saveHub(tx: Tx, hub: RunHub): Promise<void> {
  await tx.run(sql`
    insert into run_hubs ${hubs.values(hub)}
    on conflict (hub) do update
    set lease_until = excluded.lease_until`);
}

export function findHub(q: Query, hub: string): Promise<RunHub | undefined> {
  return hubs.find(q, sql`where hub = ${hub}`);
}

/** Leases that ended before that time and have no open run any more. */
export function dropHubsBefore(tx: Tx, before: number): Promise<number> {
  return hubs.delete(
    tx,
    sql`where lease_until < ${before}
      and not exists (select 1 from runs where runs.hub = run_hubs.hub and runs.state in ('pending', 'active'))`,
  );
}

export function dropHub(tx: Tx, hub: string): Promise<number> {
  return hubs.delete(tx, sql`where hub = ${hub}`);
}
