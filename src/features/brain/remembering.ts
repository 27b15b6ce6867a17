import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { findContradictions } from './contradictions.ts';
import { composeMemory, parseMemory, rewriteMemory } from './frontmatter.ts';
import { type Contradiction, type Memory, type MemoryType, toIso } from './memory.ts';
import { actorOf, type Parts } from './parts.ts';
import { memoryById } from './rows/memories.ts';
import { insertLog, replaceContradictions } from './rows/runs.ts';
import { archivePath, homeOf, monthOf, notFound, placeFor, readPlace, scrubContent, slugOf } from './rules.ts';
import { readDocument } from './vault/document.ts';
import type { VaultFiles } from './vault/files.ts';

/** Writing to the vault: every change goes through the journal, alone on the vault. */
export type NewMemory = Readonly<{
  type: MemoryType;
  category: string;
  name: string;
  content: string;
  tags: readonly string[];
  pinned: boolean;
}>;

export async function store(
  { db, vault }: Parts,
  who: Principal,
  memory: NewMemory,
): Promise<Readonly<{ id: string; path: string; created: true }>> {
  const now = db.now();
  const category = memory.type === 'episode' ? monthOf(now) : memory.category;
  const { id, path } = placeFor({ ...memory, category });
  const content = scrubContent(memory.content);
  const stamp = toIso(now);
  const text = composeMemory(
    { id, type: memory.type, category, tags: [...new Set(memory.tags)], created: stamp, updated: stamp, pinned: memory.pinned },
    content,
  );
  await vault.alone(async (hold) => {
    const holder = await db.read((q) => memoryById(q, vault.id, id));
    if (holder && (await vault.files.read(holder.path))) throw exists(id, holder.path);
    if (await vault.files.read(path)) throw exists(id, path);
    await vault.journal.perform(hold, { changes: [{ path, before: null, after: text }], isNew: true }, { actor: actorOf(who) });
  });
  return { id, path, created: true };
}

/** A file from elsewhere keeps its text and frontmatter; its name becomes one that every system can hold. */
export async function adopt(
  { db, vault }: Parts,
  who: Principal,
  given: string,
  text: string,
): Promise<Readonly<{ id: string; path: string }>> {
  const place = readPlace(given);
  if ('problem' in place) throw new HubError('invalid', `${given} cannot be taken: ${place.problem}.`, { path: given });
  const parsed = parseMemory(text);
  if (!parsed.ok) throw new HubError('invalid', `${given} cannot be taken: ${parsed.problem}.`, { path: given });
  const { path } = placeFor({ ...place, name: slugOf(place.name) });
  const id = parsed.head.id ?? place.id;
  await vault.alone(async (hold) => {
    const holder = await db.read((q) => memoryById(q, vault.id, id));
    if (holder) throw exists(id, holder.path);
    if (await vault.files.read(path)) throw exists(id, path);
    await vault.journal.perform(hold, { changes: [{ path, before: null, after: scrubContent(text) }] }, { actor: actorOf(who) });
  });
  return { id, path };
}

export type Updated = Readonly<{ previous: number; contradictions: readonly Contradiction[] }>;

export async function update(parts: Parts, who: Principal, id: string, given: string): Promise<Updated> {
  const { db, vault, catalogue } = parts;
  const content = scrubContent(given);
  return vault.alone(async (hold) => {
    const { memory, text } = await requireFile(parts, id);
    const after = rewriteMemory(text, content, toIso(db.now()));
    const { items } = await catalogue.fresh();
    const peers = [...items.values()].map((item) => item.memory).filter((peer) => isPeer(memory, peer));
    const contradictions = findContradictions({ ...memory, body: content }, peers);
    await vault.journal.perform(
      hold,
      { changes: [{ path: memory.path, before: text, after }] },
      { actor: actorOf(who), also: (tx) => replaceContradictions(tx, vault.id, id, contradictions) },
    );
    return { previous: memory.updatedAt, contradictions };
  });
}

function isPeer(memory: Memory, other: Memory): boolean {
  return memory.type === 'entity' && other.type === 'entity' && other.category === memory.category && other.id !== memory.id;
}

/** Moves the file to the archive, under the same path; an older one there keeps its place. */
export async function archive(parts: Parts, who: Principal, id: string): Promise<string> {
  const { vault } = parts;
  return vault.alone(async (hold) => {
    const { memory, text } = await requireFile(parts, id);
    if (memory.pinned) throw pinned(id, memory.path);
    const target = await freeArchivePath(vault.files, memory.path, parts.db.now());
    await vault.journal.perform(
      hold,
      {
        changes: [
          { path: target, before: null, after: text },
          { path: memory.path, before: text, after: null },
        ],
      },
      { actor: actorOf(who), also: (tx) => insertLog(tx, vault.id, { run: null, action: 'archive', targets: [id], details: target }) },
    );
    return target;
  });
}

/** Brings the newest archived file of an id, or the one at a path, back to where it was. */
export async function restore(
  parts: Parts,
  who: Principal,
  wanted: Readonly<{ id: string } | { archivePath: string }>,
): Promise<Readonly<{ id: string; path: string }>> {
  const { db, vault } = parts;
  return vault.alone(async (hold) => {
    const source = 'id' in wanted ? await newestArchived(vault.files, wanted.id) : wanted.archivePath;
    const file = await vault.files.read(source);
    if (!file) throw new HubError('not_found', `There is nothing at ${source}.`, { hint: 'Look into archive/ of the vault.' });
    const path = 'id' in wanted ? homePath(wanted.id) : homeOf(source);
    if (await vault.files.read(path)) throw exists(path, path);
    await vault.journal.perform(
      hold,
      {
        changes: [
          { path, before: null, after: file.text },
          { path: source, before: file.text, after: null },
        ],
      },
      { actor: actorOf(who), also: (tx) => insertLog(tx, vault.id, { run: null, action: 'restore', targets: [path], details: source }) },
    );
    const document = await readDocument(vault.files, path, db.now());
    if (document.kind !== 'memory') throw new HubError('conflict', `${path} was changed by somebody else meanwhile.`, { path });
    return { id: document.memory.id, path };
  });
}

export async function freeArchivePath(files: VaultFiles, path: string, now: number): Promise<string> {
  const plain = archivePath(path);
  if ((await files.read(plain)) === null) return plain;
  return archivePath(path, `-${new Date(now).toISOString().replace(/[-:.]/g, '')}`);
}

/** The plain path holds the oldest; later ones carry their time, so the last name is the newest. */
async function newestArchived(files: VaultFiles, id: string): Promise<string> {
  const plain = archivePath(homePath(id));
  const folder = plain.slice(0, plain.lastIndexOf('/'));
  const stem = plain.slice(folder.length + 1, -'.md'.length);
  const names = (await files.list(folder)).filter((name) => name === `${stem}.md` || /^-\d{8}T\d{9}Z\.md$/.test(name.slice(stem.length)));
  const newest = names
    .filter((name) => name.startsWith(stem))
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .at(-1);
  if (newest === undefined) throw notFound(id);
  return `${folder}/${newest}`;
}

function homePath(id: string): string {
  const [, entity, entityName] = /^entity-(people|projects|preferences)-([a-z0-9-]+)$/.exec(id) ?? [];
  if (entity !== undefined) return `entities/${entity}/${entityName}.md`;
  const [, month, episodeName] = /^episode-(\d{4}-\d{2})-([a-z0-9-]+)$/.exec(id) ?? [];
  if (month === undefined) throw notFound(id);
  return `episodes/${month}/${episodeName}.md`;
}

/** The memory as its file has it now; the index only says where to look. */
async function requireFile({ db, vault }: Parts, id: string): Promise<Readonly<{ memory: Memory; text: string }>> {
  const known = await db.read((q) => memoryById(q, vault.id, id));
  const document = known && (await readDocument(vault.files, known.path, db.now()));
  if (!known || !document || document.kind === 'gone') throw notFound(id);
  if (document.kind === 'memory' && document.memory.id === id) return document;
  const reason = document.kind === 'problem' ? document.reason : 'its id was changed';
  throw new HubError('conflict', `${known.path} was edited by hand and is left alone: ${reason}.`, {
    path: known.path,
    hint: 'Repair the file; it is picked up as soon as it is saved.',
  });
}

function exists(id: string, path: string): HubError {
  return new HubError('conflict', `Memory already exists at ${path}. Use memory_update to change it.`, {
    id,
    path,
    hint: 'Call memory_update with this id, or choose another name.',
  });
}

function pinned(id: string, path: string): HubError {
  return new HubError('conflict', `Cannot archive pinned memory: ${id}`, {
    id,
    path,
    hint: 'Set pinned to false in the frontmatter of its file first.',
  });
}
