// SQL of vaults and their leases. One statement takes a lease, so a vault has one writer and one owner.
import type { Query, Tx } from '../../../store/database.ts';
import { leaseIn } from '../../../store/lease.ts';
import { sql } from '../../../store/sql.ts';

export type VaultRow = Readonly<{
  id: string;
  scope_no: number;
  version: number;
  holder: string | null;
  lease_until: number;
  owner: string | null;
  owned_until: number;
  last_consolidation: number | null;
  last_pruning: number | null;
}>;

export function vaultById(q: Query, vault: string): Promise<VaultRow | undefined> {
  return q.get<VaultRow>(sql`
    select id, scope_no, version, holder, lease_until, owner, owned_until, last_consolidation, last_pruning
    from brain_vaults
    where id = ${vault}`);
}

export async function insertVault(tx: Tx, vault: string, scope: number): Promise<void> {
  await tx.run(sql`
    insert into brain_vaults (id, scope_no)
    values (${vault}, ${scope})
    on conflict (id) do nothing`);
}

/** The next number of this vault's counter. Holds the row, so that versions are in commit order. */
export async function nextVersion(tx: Tx, vault: string): Promise<number> {
  const row = await tx.get<{ version: number }>(sql`
    update brain_vaults
    set version = version + 1
    where id = ${vault}
    returning version`);
  return row!.version;
}

/** Who writes in a vault. */
export const writing = leaseIn({ table: 'brain_vaults', key: 'id', holder: 'holder', until: 'lease_until' });

/** Who watches a vault and does its upkeep. */
export const owning = leaseIn({ table: 'brain_vaults', key: 'id', holder: 'owner', until: 'owned_until' });

export async function markCompacted(tx: Tx, vault: string): Promise<void> {
  await tx.run(sql`
    update brain_vaults
    set last_consolidation = ${tx.now}, last_pruning = ${tx.now}
    where id = ${vault}`);
}

export async function insertIntent(
  tx: Tx,
  intent: Readonly<{ id: string; vault: string; entry: string }>,
): Promise<void> {
  await tx.run(sql`
    insert into brain_intents (id, vault, entry, created_at)
    values (${intent.id}, ${intent.vault}, ${intent.entry}, ${tx.now})`);
}

export async function deleteIntent(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`
    delete from brain_intents
    where id = ${id}`);
}

export function listIntents(q: Query, vault: string): Promise<{ id: string; entry: string }[]> {
  return q.all<{ id: string; entry: string }>(sql`
    select id, entry
    from brain_intents
    where vault = ${vault}
    order by id`);
}
