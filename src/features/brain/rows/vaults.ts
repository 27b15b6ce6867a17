// SQL of vaults and their leases. One statement takes a lease, so a vault has one writer and one owner.
import type { Query, Tx } from '../../../store/database.ts';
import { leaseIn } from '../../../store/lease.ts';
import { sql } from '../../../store/sql.ts';
import { named, number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';

const vaults = table('brain_vaults', {
  id: text(),
  scope: named('scope_no', number()),
  version: number(),
  holder: textOrNull(),
  leaseUntil: number(),
  owner: textOrNull(),
  ownedUntil: number(),
  lastConsolidation: numberOrNull(),
  lastPruning: numberOrNull(),
});
export type VaultRow = Readonly<RecordOf<typeof vaults.fields>>;

export function vaultById(q: Query, vault: string): Promise<VaultRow | undefined> {
  return vaults.find(q, sql`where id = ${vault}`);
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
  await vaults.update(tx, { lastConsolidation: tx.now, lastPruning: tx.now }, sql`where id = ${vault}`);
}

const intents = table('brain_intents', { id: text(), vault: text(), entry: text(), createdAt: number() });
type Intent = RecordOf<typeof intents.fields>;

export function insertIntent(tx: Tx, intent: Readonly<Omit<Intent, 'createdAt'>>): Promise<void> {
  return intents.insert(tx, { ...intent, createdAt: tx.now });
}

export async function deleteIntent(tx: Tx, id: string): Promise<void> {
  await intents.delete(tx, sql`where id = ${id}`);
}

export function listIntents(q: Query, vault: string): Promise<Intent[]> {
  return intents.list(q, sql`where vault = ${vault} order by id`);
}
