import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export type RunHub = Readonly<{ hub: string; host: string; pid: number; born: string; leaseUntil: number }>;

export async function saveHub(tx: Tx, { hub, host, pid, born, leaseUntil }: RunHub): Promise<void> {
  await tx.run(sql`
    insert into run_hubs (hub, host, pid, born, lease_until)
    values (${hub}, ${host}, ${pid}, ${born}, ${leaseUntil})
    on conflict (hub) do update
    set lease_until = excluded.lease_until`);
}

export function findHub(q: Query, hub: string): Promise<RunHub | undefined> {
  return q.get<RunHub>(sql`
    select hub, host, pid, born, lease_until as "leaseUntil"
    from run_hubs
    where hub = ${hub}`);
}

/** Leases that ended before that time and have no open run any more. */
export function dropHubsBefore(tx: Tx, before: number): Promise<number> {
  return tx.run(sql`
    delete from run_hubs
    where lease_until < ${before}
      and not exists (select 1 from runs where runs.hub = run_hubs.hub and runs.state in ('pending', 'active'))`);
}

export function dropHub(tx: Tx, hub: string): Promise<number> {
  return tx.run(sql`delete from run_hubs where hub = ${hub}`);
}
