// SQL of Beings.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { number, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';
import type { Held, Seen } from './whose.ts';

const beings = table('beings', {
  id: text(),
  owner: text(),
  name: text(),
  nameKey: text(),
  marker: textOrNull(),
  llmKey: textOrNull(),
  runId: textOrNull(),
  createdAt: number(),
  updatedAt: number(),
});
export type BeingRow = Readonly<RecordOf<typeof beings.fields>>;

type NewBeing = Pick<BeingRow, 'id' | 'owner' | 'name' | 'nameKey'> & Partial<BeingRow>;

/** False when the owner has a Being of that name. */
export async function insertBeing(tx: Tx, being: NewBeing): Promise<boolean> {
  const empty = { marker: null, llmKey: null, runId: null, createdAt: tx.now, updatedAt: tx.now };
  const made = await tx.run(sql`
    insert into beings ${beings.values({ ...empty, ...being })}
    on conflict do nothing`);
  return made === 1;
}

export function beingRow({ q, being }: Seen): Promise<BeingRow | undefined> {
  return beings.find(q, sql`where id = ${being}`);
}

export function beingByName(q: Query, owner: string, nameKey: string): Promise<BeingRow | undefined> {
  return beings.find(q, sql`where owner = ${owner} and name_key = ${nameKey}`);
}

export function listBeings(q: Query): Promise<BeingRow[]> {
  return beings.list(q, sql`order by owner, name_key`);
}

export const countBeings = (q: Query): Promise<number> => beings.count(q, sql.empty);

export async function changeBeing(
  { tx, being }: Held,
  change: Partial<Pick<BeingRow, 'marker' | 'llmKey'>>,
): Promise<void> {
  await tx.run(sql`
    update beings
    set ${beings.assign({ ...change, updatedAt: tx.now })}
    where id = ${being}`);
}

/** Everything that names the Being. */
const TABLES = [
  'being_docs',
  'being_past',
  'being_relations',
  'being_notes',
  'being_nodes',
  'being_clusters',
  'being_messages',
  'being_mail',
  'being_capabilities',
  'being_run_steps',
  'being_runs',
  'being_merges',
] as const;

export async function deleteBeing({ tx, being }: Held): Promise<void> {
  for (const name of TABLES) {
    await tx.run(sql`
      delete from ${sql.raw(name)}
      where being_id = ${being}`);
  }
  // What it sent lies with whoever got it and stays theirs; who it was from is no longer a Being.
  await beings.delete(tx, sql`where id = ${being}`);
}
