import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { parseMemory } from './frontmatter.ts';
import { actorFor } from '../../store/calls.ts';
import type { BrainParts } from './parts.ts';
import { exists, requireFile } from './write-memories.ts';
import { memoryById } from './rows/memories.ts';
import { archivePath, homeOf, pathOfId } from './rules.ts';
import { readDocument } from './vault/document.ts';
import type { VaultFiles } from './vault/files.ts';

/** Moves the file to the archive, under the same path; an older one there keeps its place. */
export async function archive(parts: BrainParts, who: Principal, id: string): Promise<string> {
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
        log: { run: null, action: 'archive', targets: [id], details: target },
      },
      actorFor(who),
    );
    return target;
  });
}

/** What to bring back: the newest of an id, or the one at a path. */
export type Wanted = Readonly<{ id: string } | { archivePath: string }>;

/** Brings the newest archived file of an id, or the one at a path, back to where it was. */
export async function restore(
  parts: BrainParts,
  who: Principal,
  wanted: Wanted,
): Promise<Readonly<{ id: string; path: string }>> {
  const { db, vault } = parts;
  return vault.alone(async (hold) => {
    const source = 'id' in wanted ? await newestArchived(vault.files, wanted.id) : wanted.archivePath;
    const file = await vault.files.read(source);
    if (!file)
      throw new HubError('not_found', `There is nothing at ${source}.`, {
        hint: 'Look into archive/ of the vault.',
      });
    const path = 'id' in wanted ? requirePath(wanted.id) : homeOf(source);
    if (await vault.files.read(path)) throw exists('id' in wanted ? wanted.id : path, path);
    const parsed = parseMemory(file.text);
    const holder =
      parsed.ok &&
      parsed.head.id !== undefined &&
      (await db.read((q) => memoryById(q, vault.id, parsed.head.id!)));
    if (holder) throw exists(holder.id, holder.path);
    await vault.journal.perform(
      hold,
      {
        changes: [
          { path, before: null, after: file.text },
          { path: source, before: file.text, after: null },
        ],
        log: { run: null, action: 'restore', targets: [path], details: source },
      },
      actorFor(who),
    );
    const document = await readDocument(vault.files, { path }, db.now());
    if (document.kind !== 'memory')
      throw new HubError('conflict', `${path} was changed by somebody else meanwhile.`, { path });
    return { id: document.memory.id, path };
  });
}

async function freeArchivePath(files: VaultFiles, path: string, now: number): Promise<string> {
  const plain = archivePath(path);
  if ((await files.read(plain)) === null) return plain;
  return archivePath(path, `-${new Date(now).toISOString().replace(/[-:.]/g, '')}`);
}

/** The plain path holds the oldest; later ones carry their time, so the last name is the newest. */
async function newestArchived(files: VaultFiles, id: string): Promise<string> {
  const plain = archivePath(requirePath(id));
  const folder = plain.slice(0, plain.lastIndexOf('/'));
  const stem = plain.slice(folder.length + 1, -'.md'.length);
  const names = (await files.list(folder)).filter(
    (name) => name === `${stem}.md` || /^-\d{8}T\d{9}Z\.md$/.test(name.slice(stem.length)),
  );
  const newest = names
    .filter((name) => name.startsWith(stem))
    .toSorted((a, b) => a.length - b.length || (a < b ? -1 : 1))
    .at(-1);
  if (newest === undefined) throw notArchived(id);
  return `${folder}/${newest}`;
}

function requirePath(id: string): string {
  const path = pathOfId(id);
  if (path === undefined) throw notArchived(id);
  return path;
}

function notArchived(id: string): HubError {
  return new HubError('not_found', `Memory not found: ${id}`, {
    id,
    hint: 'Nothing of that id lies in archive/; name its archive_path if it was kept under another.',
  });
}

function pinned(id: string, path: string): HubError {
  return new HubError('conflict', `Cannot archive pinned memory: ${id}`, {
    id,
    path,
    hint: 'Set pinned to false in the frontmatter of its file first.',
  });
}
