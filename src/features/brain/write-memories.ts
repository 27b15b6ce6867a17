import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { findContradictions } from './contradictions.ts';
import { composeMemory, parseMemory, rewriteMemory } from './frontmatter.ts';
import { type Contradiction, type VaultMemory, type MemoryType, toIso } from './memory.ts';
import { actorFor } from '../../store/calls.ts';
import type { BrainParts } from './parts.ts';
import { memoryById } from './rows/memories.ts';
import { monthOf, nameProblem, notFound, placeFor, readPlace, scrubContent, slugOf } from './rules.ts';
import { readDocument } from './vault/document.ts';

/** Writing to the vault: every change goes through the journal, alone on the vault. */
export type NewVaultMemory = Readonly<{
  type: MemoryType;
  category: string;
  name: string;
  content: string;
  tags: readonly string[];
  pinned: boolean;
}>;

export async function store(
  { db, vault }: BrainParts,
  who: Principal,
  memory: NewVaultMemory,
): Promise<Readonly<{ id: string; path: string; created: true }>> {
  const now = db.now();
  const category = memory.type === 'episode' ? monthOf(now) : memory.category;
  const { id, path } = placeFor({ ...memory, category });
  const content = scrubContent(memory.content);
  const stamp = toIso(now);
  const text = composeMemory(
    {
      id,
      type: memory.type,
      category,
      tags: [...new Set(memory.tags)],
      created: stamp,
      updated: stamp,
      pinned: memory.pinned,
    },
    content,
  );
  await vault.alone(async (hold) => {
    const holder = await db.read((q) => memoryById(q, vault.id, id));
    if (holder && (await vault.files.read(holder.path))) throw exists(id, holder.path);
    if (await vault.files.read(path)) throw exists(id, path);
    await vault.journal.perform(
      hold,
      { changes: [{ path, before: null, after: text }], isNew: true },
      actorFor(who),
    );
  });
  return { id, path, created: true };
}

/** A file from elsewhere keeps its text and frontmatter; its name becomes one that every system can hold. */
export async function adopt(
  { db, vault }: BrainParts,
  who: Principal,
  { path: given, text }: Readonly<{ path: string; text: string }>,
): Promise<Readonly<{ id: string; path: string }>> {
  const declined = (why: string) =>
    new HubError('invalid', `${given} cannot be taken: ${why}.`, { path: given });
  const place = readPlace(given);
  if ('problem' in place) throw declined(place.problem);
  const name = slugOf(place.name);
  const problem = nameProblem(name);
  if (problem !== undefined) throw declined(`its name ${problem}`);
  const parsed = parseMemory(text);
  if (!parsed.ok) throw declined(parsed.problem);
  const { path } = placeFor({ ...place, name });
  const id = parsed.head.id ?? place.id;
  await vault.alone(async (hold) => {
    const holder = await db.read((q) => memoryById(q, vault.id, id));
    if (holder) throw exists(id, holder.path);
    if (await vault.files.read(path)) throw exists(id, path);
    await vault.journal.perform(
      hold,
      { changes: [{ path, before: null, after: scrubContent(text) }] },
      actorFor(who),
    );
  });
  return { id, path };
}

export type Updated = Readonly<{ previous: number; contradictions: readonly Contradiction[] }>;

export async function update(
  parts: BrainParts,
  who: Principal,
  { id, content: given }: Readonly<{ id: string; content: string }>,
): Promise<Updated> {
  const { db, vault, catalogue } = parts;
  const content = scrubContent(given);
  return vault.alone(async (hold) => {
    const { memory, text } = await requireFile(parts, id);
    const after = rewriteMemory(text, content, toIso(db.now()));
    const { items } = await catalogue.fresh();
    const peers = [...items.values()].map((item) => item.memory).filter((peer) => isPeer(memory, peer));
    const found = await findContradictions({ ...memory, body: content }, peers);
    const changes = [{ path: memory.path, before: text, after }];
    await vault.journal.perform(hold, { changes, contradictions: { id, found } }, actorFor(who));
    return { previous: memory.updatedAt, contradictions: found };
  });
}

function isPeer(memory: VaultMemory, other: VaultMemory): boolean {
  return (
    memory.type === 'entity' &&
    other.type === 'entity' &&
    other.category === memory.category &&
    other.id !== memory.id
  );
}

/** The memory as its file has it now; the index only says where to look. */
export async function requireFile(
  { db, vault }: BrainParts,
  id: string,
): Promise<Readonly<{ memory: VaultMemory; text: string }>> {
  const known = await db.read((q) => memoryById(q, vault.id, id));
  const document = known && (await readDocument(vault.files, { path: known.path }, db.now()));
  if (!known || !document || document.kind === 'gone') throw notFound(id);
  if (document.kind === 'memory' && document.memory.id === id) return document;
  const reason = document.kind === 'problem' ? document.reason : 'its id was changed';
  throw new HubError('conflict', `${known.path} was edited by hand and is left alone: ${reason}.`, {
    path: known.path,
    hint: 'Repair the file; it is picked up as soon as it is saved.',
  });
}

export function exists(id: string, path: string): HubError {
  return new HubError('conflict', `Memory already exists at ${path}. Use memory_update to change it.`, {
    id,
    path,
    hint: 'Call memory_update with this id, or choose another name.',
  });
}
