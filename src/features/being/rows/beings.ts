// SQL of Beings. One that is deleted loses its tokens first, so nobody is let in any more.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export type BeingRow = Readonly<{
  id: string;
  owner: string;
  name: string;
  marker: string | null;
  llm_key: string | null;
  run_id: string | null;
  run_until: number;
  created_at: number;
  updated_at: number;
}>;

const COLUMNS = sql.raw('id, owner, name, marker, llm_key, run_id, run_until, created_at, updated_at');

type NewBeing = Readonly<{ id: string; owner: string; name: string; nameKey: string }> &
  Readonly<{ marker?: string | null; createdAt?: number; updatedAt?: number }>;

/** False when the owner has a Being of that name. */
export async function insertBeing(tx: Tx, being: NewBeing): Promise<boolean> {
  const { id, owner, name, nameKey, marker = null, createdAt = tx.now, updatedAt = tx.now } = being;
  const made = await tx.run(sql`
    insert into beings (id, owner, name, name_key, marker, created_at, updated_at)
    values (${id}, ${owner}, ${name}, ${nameKey}, ${marker}, ${createdAt}, ${updatedAt})
    on conflict do nothing`);
  return made === 1;
}

export function beingById(q: Query, id: string): Promise<BeingRow | undefined> {
  return q.get<BeingRow>(sql`
    select ${COLUMNS}
    from beings
    where id = ${id}`);
}

export function beingByName(q: Query, owner: string, nameKey: string): Promise<BeingRow | undefined> {
  return q.get<BeingRow>(sql`
    select ${COLUMNS}
    from beings
    where owner = ${owner} and name_key = ${nameKey}`);
}

export function listBeings(q: Query): Promise<BeingRow[]> {
  return q.all<BeingRow>(sql`
    select ${COLUMNS}
    from beings
    order by owner, name_key`);
}

export async function countBeings(q: Query): Promise<number> {
  return (await q.get<{ count: number }>(sql`select count(*) as count from beings`))!.count;
}

export async function setMarker(tx: Tx, being: string, marker: string | null): Promise<void> {
  await tx.run(sql`
    update beings
    set marker = ${marker}, updated_at = ${tx.now}
    where id = ${being}`);
}

export async function setLlmKey(tx: Tx, being: string, sealed: string | null): Promise<void> {
  await tx.run(sql`
    update beings
    set llm_key = ${sealed}, updated_at = ${tx.now}
    where id = ${being}`);
}

/** Everything that names the Being, tokens first: from then on nobody is let in. */
const TABLES = [
  'being_api_tokens',
  'oauth_access_tokens',
  'oauth_refresh_tokens',
  'oauth_codes',
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

export async function deleteBeing(tx: Tx, id: string): Promise<void> {
  for (const table of TABLES) {
    await tx.run(sql`
      delete from ${sql.raw(table)}
      where being_id = ${id}`);
  }
  await tx.run(sql`
    delete from jobs
    where queue = 'being.patrol' and key = ${id}`);
  // What it sent lies with whoever got it and stays theirs; who it was from is no longer a Being.
  await tx.run(sql`
    delete from beings
    where id = ${id}`);
}
