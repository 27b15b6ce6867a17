// SQL of the vault's index. The files are the truth; what stands here can be made again from them.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { VaultMemory, MemoryType } from '../memory.ts';

type MemoryRow = {
  id: string;
  path: string;
  type: MemoryType;
  category: string;
  name: string;
  tags: string;
  body: string;
  pinned: number;
  created_at: number;
  updated_at: number;
};

const columns = sql.raw('id, path, type, category, name, tags, body, pinned, created_at, updated_at');

function toMemory(row: MemoryRow): VaultMemory {
  const { id, path, type, category, name, body } = row;
  const tags = JSON.parse(row.tags) as string[];
  return {
    id,
    path,
    type,
    category,
    name,
    tags,
    body,
    pinned: row.pinned === 1,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

export type Indexed = Readonly<{ id: string; path: string; stamp: string }>;

export function listIndexed(q: Query, vault: string): Promise<Indexed[]> {
  return q.all<Indexed>(sql`
    select id, path, stamp
    from brain_memories
    where vault = ${vault}`);
}

export type IndexedFile = Indexed & Readonly<{ hash: string; no: number }>;

export function indexedAt(q: Query, vault: string, path: string): Promise<IndexedFile | undefined> {
  return q.get<IndexedFile>(sql`
    select id, path, stamp, hash, no
    from brain_memories
    where vault = ${vault} and path = ${path}`);
}

export async function memoryById(q: Query, vault: string, id: string): Promise<VaultMemory | undefined> {
  const row = await q.get<MemoryRow>(sql`
    select ${columns}
    from brain_memories
    where vault = ${vault} and id = ${id}`);
  return row && toMemory(row);
}

export async function pathOf(q: Query, vault: string, id: string): Promise<string | undefined> {
  const row = await q.get<{ path: string }>(sql`
    select path
    from brain_memories
    where vault = ${vault} and id = ${id}`);
  return row?.path;
}

/** What changed after a version, for a process that keeps a copy. */
export async function memoriesSince(q: Query, vault: string, version: number): Promise<VaultMemory[]> {
  const rows = await q.all<MemoryRow>(sql`
    select ${columns}
    from brain_memories
    where vault = ${vault} and version > ${version}`);
  return rows.map(toMemory);
}

export async function listIds(q: Query, vault: string): Promise<string[]> {
  const rows = await q.all<{ id: string }>(sql`
    select id
    from brain_memories
    where vault = ${vault}`);
  return rows.map((row) => row.id);
}

export async function countMemories(q: Query, vault: string): Promise<number> {
  const row = await q.get<{ total: number }>(sql`
    select count(*) as total
    from brain_memories
    where vault = ${vault}`);
  return row!.total;
}

/** `no`: the memory's number in recall. */
export type IndexFacts = Readonly<{
  vault: string;
  no: number;
  hash: string;
  stamp: string;
  version: number;
}>;

export async function upsertMemory(
  tx: Tx,
  memory: VaultMemory,
  { vault, no, hash, stamp, version }: IndexFacts,
): Promise<void> {
  await tx.run(sql`
    insert into brain_memories (vault, no, ${columns}, hash, stamp, version)
    values (${vault}, ${no}, ${memory.id}, ${memory.path}, ${memory.type}, ${memory.category}, ${memory.name}, ${JSON.stringify(memory.tags)},
      ${memory.body}, ${memory.pinned ? 1 : 0}, ${memory.createdAt}, ${memory.updatedAt}, ${hash}, ${stamp}, ${version})
    on conflict (vault, id) do update
    set no = excluded.no,
        path = excluded.path,
        type = excluded.type,
        category = excluded.category,
        name = excluded.name,
        tags = excluded.tags,
        body = excluded.body,
        pinned = excluded.pinned,
        created_at = excluded.created_at,
        updated_at = excluded.updated_at,
        hash = excluded.hash,
        stamp = excluded.stamp,
        version = excluded.version`);
}

/** The file was touched, its text is the same. */
export async function setStamp(
  tx: Tx,
  vault: string,
  { path, stamp }: Pick<Indexed, 'path' | 'stamp'>,
): Promise<void> {
  await tx.run(sql`
    update brain_memories
    set stamp = ${stamp}
    where vault = ${vault} and path = ${path}`);
}

export async function deleteMemory(tx: Tx, vault: string, id: string): Promise<void> {
  await tx.run(sql`
    delete from brain_memories
    where vault = ${vault} and id = ${id}`);
}

export type Problem = Readonly<{ path: string; reason: string; stamp: string }>;

export function listProblems(q: Query, vault: string): Promise<Problem[]> {
  return q.all<Problem>(sql`
    select path, reason, stamp
    from brain_problems
    where vault = ${vault}
    order by path`);
}

export async function upsertProblem(tx: Tx, vault: string, { path, reason, stamp }: Problem): Promise<void> {
  await tx.run(sql`
    insert into brain_problems (vault, path, reason, stamp)
    values (${vault}, ${path}, ${reason}, ${stamp})
    on conflict (vault, path) do update
    set reason = excluded.reason, stamp = excluded.stamp`);
}

export async function deleteProblem(tx: Tx, vault: string, path: string): Promise<void> {
  await tx.run(sql`
    delete from brain_problems
    where vault = ${vault} and path = ${path}`);
}
