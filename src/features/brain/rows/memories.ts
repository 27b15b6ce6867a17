// SQL of the vault's index. The files are the truth; what stands here can be made again from them.
import type { Query, Tx } from '../../../store/database.ts';
import { type Sql, sql } from '../../../store/sql.ts';
import { flag, json, number, type RecordOf, table, text } from '../../../store/table.ts';
import type { MemoryType, VaultMemory } from '../memory.ts';

const shown = {
  id: text(),
  path: text(),
  type: text<MemoryType>(),
  category: text(),
  name: text(),
  tags: json<readonly string[]>(),
  body: text(),
  pinned: flag(),
  createdAt: number(),
  updatedAt: number(),
};
const memories = table('brain_memories', shown);
/** `no`: the memory's number in recall. */
const indexed = table('brain_memories', {
  ...shown,
  vault: text(),
  no: number(),
  hash: text(),
  stamp: text(),
  version: number(),
});
const listed = indexed.only('id', 'path', 'stamp');
const [ids, paths] = [memories.only('id'), memories.only('path')];
const files = indexed.only('id', 'path', 'stamp', 'hash', 'no');

export type Indexed = Readonly<RecordOf<typeof listed.fields>>;
export type IndexedFile = Readonly<RecordOf<typeof files.fields>>;

const ofVault = (vault: string): Sql => sql`where vault = ${vault}`;
const withId = (vault: string, id: string): Sql => sql`where vault = ${vault} and id = ${id}`;
const withPath = (vault: string, path: string): Sql => sql`where vault = ${vault} and path = ${path}`;

export function listIndexed(q: Query, vault: string): Promise<Indexed[]> {
  return listed.list(q, ofVault(vault));
}

export function indexedAt(q: Query, vault: string, path: string): Promise<IndexedFile | undefined> {
  return files.find(q, withPath(vault, path));
}

export function memoryById(q: Query, vault: string, id: string): Promise<VaultMemory | undefined> {
  return memories.find(q, withId(vault, id));
}

export async function pathOf(q: Query, vault: string, id: string): Promise<string | undefined> {
  return (await paths.find(q, withId(vault, id)))?.path;
}

/** What changed after a version, for a process that keeps a copy. */
export function memoriesSince(q: Query, vault: string, version: number): Promise<VaultMemory[]> {
  return memories.list(q, sql`where vault = ${vault} and version > ${version}`);
}

export async function listIds(q: Query, vault: string): Promise<string[]> {
  return (await ids.list(q, ofVault(vault))).map(({ id }) => id);
}

export function countMemories(q: Query, vault: string): Promise<number> {
  return memories.count(q, ofVault(vault));
}

export function upsertMemory(tx: Tx, memory: RecordOf<typeof indexed.fields>): Promise<void> {
  return indexed.put(tx, memory, ['vault', 'id']);
}

/** The file was touched, its text is the same. */
export async function setStamp(
  tx: Tx,
  vault: string,
  { path, stamp }: Pick<Indexed, 'path' | 'stamp'>,
): Promise<void> {
  await indexed.update(tx, { stamp }, withPath(vault, path));
}

export async function deleteMemory(tx: Tx, vault: string, id: string): Promise<void> {
  await memories.delete(tx, withId(vault, id));
}

const problems = table('brain_problems', { vault: text(), path: text(), reason: text(), stamp: text() });
export type Problem = Readonly<Omit<RecordOf<typeof problems.fields>, 'vault'>>;

export function listProblems(q: Query, vault: string): Promise<Problem[]> {
  return problems.list(q, sql`where vault = ${vault} order by path`);
}

export function upsertProblem(tx: Tx, vault: string, { path, reason, stamp }: Problem): Promise<void> {
  return problems.put(tx, { vault, path, reason, stamp }, ['vault', 'path']);
}

export async function deleteProblem(tx: Tx, vault: string, path: string): Promise<void> {
  await problems.delete(tx, withPath(vault, path));
}
