// SQL of vaults and their leases. One statement takes a lease, so a vault has one writer and one owner.
import type { Query, Tx } from '../../../store/database.ts';
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

/** One statement takes the lease: free, run out, our own, or left behind by a holder known to be dead. */
export async function takeLease(
  tx: Tx,
  vault: string,
  { holder, until, dead }: Readonly<{ holder: string; until: number; dead: string | null }>,
): Promise<boolean> {
  const changed = await tx.run(sql`
    update brain_vaults
    set holder = ${holder}, lease_until = ${until}
    where id = ${vault}
      and (holder is null or holder = ${holder} or holder = cast(${dead} as text) or lease_until <= ${tx.now})`);
  return changed > 0;
}

/** Extends the lease; false when somebody else has the vault now. */
export async function keepLease(
  tx: Tx,
  vault: string,
  { holder, until }: Readonly<{ holder: string; until: number }>,
): Promise<boolean> {
  const changed = await tx.run(sql`
    update brain_vaults
    set lease_until = ${until}
    where id = ${vault} and holder = ${holder}`);
  return changed > 0;
}

export async function freeLease(tx: Tx, vault: string, holder: string): Promise<void> {
  await tx.run(sql`
    update brain_vaults
    set holder = null, lease_until = 0
    where id = ${vault} and holder = ${holder}`);
}

/** One statement makes an owner, or keeps it one: free, run out, our own, or left behind by one known to be dead. */
export async function takeOwnership(
  tx: Tx,
  vault: string,
  { owner, until, dead }: Readonly<{ owner: string; until: number; dead: string | null }>,
): Promise<boolean> {
  const changed = await tx.run(sql`
    update brain_vaults
    set owner = ${owner}, owned_until = ${until}
    where id = ${vault}
      and (owner is null or owner = ${owner} or owner = cast(${dead} as text) or owned_until <= ${tx.now})`);
  return changed > 0;
}

export async function freeOwnership(tx: Tx, vault: string, owner: string): Promise<void> {
  await tx.run(sql`
    update brain_vaults
    set owner = null, owned_until = 0
    where id = ${vault} and owner = ${owner}`);
}

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
