// Keeps index, recall and credit true to the files that changed, in one transaction.
import type { Tx } from '../../../store/database.ts';
import { createRecall, type Recall } from '../../../recall/recall.ts';
import type { VaultMemory } from '../memory.ts';
import * as credits from '../rows/credits.ts';
import * as rows from '../rows/memories.ts';
import { nextVersion } from '../rows/vaults.ts';
import { placeFor } from '../rules.ts';
import type { Strategy } from '../strategy.ts';
import type { Document } from './document.ts';

export type VaultIdentity = Readonly<{ id: string; scope: number }>;

export type IndexRequest = Readonly<{
  vault: VaultIdentity;
  documents: readonly Document[];
  strategy: Strategy;
  /** Ids that another part of the same change brings back: their credit stays. */
  kept?: ReadonlySet<string>;
  /** The caller made these memories anew, so what an older one of that id was worth does not matter. */
  isNew?: boolean;
}>;

export type IndexChange = Readonly<{
  added: readonly string[];
  changed: readonly string[];
  removed: readonly string[];
}>;

const BULK = 50;

function spaceOf(vault: VaultIdentity): string {
  return `brain:${vault.id}`;
}

/** The vault's own part of recall. */
export function recallOf(vault: VaultIdentity): Recall {
  return createRecall({ space: spaceOf(vault) });
}

/** The recall item of a memory; recall's ids are shared by all rooms. */
export function itemOf(vault: VaultIdentity, id: string): string {
  return `${spaceOf(vault)}/${id}`;
}

/**
 * Brings index and ledger to what the files say. A memory is known by its id, so a moved file keeps its credit;
 * of two files with one id the one at its own place counts, and the other is reported.
 */
export async function indexDocuments(tx: Tx, request: IndexRequest): Promise<IndexChange> {
  const { vault, documents } = request;
  const version = await nextVersion(tx, vault.id);
  const found = documents
    .filter((document) => document.kind === 'memory')
    .sort((a, b) => Number(isHome(b.memory)) - Number(isHome(a.memory)));
  const ids = new Set([...(request.kept ?? []), ...found.map(({ memory }) => memory.id)]);
  const reported = new Set((await rows.listProblems(tx, vault.id)).map(({ path }) => path));
  const { vacated, known } = await vacate(tx, request, reported);
  const [added, changed] = [[] as string[], [] as string[]];
  for (const { memory, hash, stamp } of found) {
    const before = known.get(memory.path);
    const holder = before ? memory.path : await rows.pathOf(tx, vault.id, memory.id);
    if (holder !== undefined && holder !== memory.path) {
      await rows.upsertProblem(tx, vault.id, {
        path: memory.path,
        stamp,
        reason: `the id ${memory.id} belongs to ${holder}`,
      });
      continue;
    }
    if (reported.has(memory.path)) await rows.deleteProblem(tx, vault.id, memory.path);
    const isNew = await ensureCredit(tx, request, { id: memory.id, version });
    (isNew ? added : changed).push(memory.id);
    if (before) await recallOf(vault).forget(tx, before.no);
    const no = await fileItem(tx, vault, memory);
    await rows.upsertMemory(tx, { ...memory, vault: vault.id, no, hash, stamp, version });
  }
  const removed = vacated.filter((id) => !ids.has(id));
  for (const id of removed) await dropCredit(tx, vault, id);
  announce(tx, { added, changed, removed });
  return { added, changed, removed };
}

type Vacated = Readonly<{ vacated: readonly string[]; known: ReadonlyMap<string, rows.IndexedFile> }>;

/** Takes out what no longer lies where it lay, and notes what cannot be read. Answers the ids that lost their file, and what stays. */
async function vacate(
  tx: Tx,
  { vault, documents }: IndexRequest,
  reported: ReadonlySet<string>,
): Promise<Vacated> {
  const vacated: string[] = [];
  const staying = new Map<string, rows.IndexedFile>();
  for (const document of documents) {
    const known = await rows.indexedAt(tx, vault.id, document.path);
    if (known && document.kind === 'memory' && document.memory.id === known.id)
      staying.set(document.path, known);
    else if (known) {
      await rows.deleteMemory(tx, vault.id, known.id);
      await recallOf(vault).forget(tx, known.no);
      vacated.push(known.id);
    }
    if (document.kind === 'problem') await rows.upsertProblem(tx, vault.id, document);
    if (document.kind === 'gone' && reported.has(document.path))
      await rows.deleteProblem(tx, vault.id, document.path);
  }
  return { vacated, known: staying };
}

/** Every memory is its own episode: files are no conversation, and neighbours say nothing. */
async function fileItem(tx: Tx, vault: VaultIdentity, memory: VaultMemory): Promise<number> {
  const { number } = await recallOf(vault).add(tx, {
    id: itemOf(vault, memory.id),
    scope: vault.scope,
    episode: memory.id,
    seat: '',
    title: memory.name.replace(/-/g, ' '),
    content: memory.body,
    tags: memory.tags,
  });
  return number;
}

/** Answers whether the memory is new, or back. */
async function ensureCredit(
  tx: Tx,
  { vault, strategy, isNew }: IndexRequest,
  { id, version }: Readonly<{ id: string; version: number }>,
): Promise<boolean> {
  if (await credits.creditOf(tx, vault.id, id)) return false;
  const before = isNew ? undefined : await credits.creditWhenGone(tx, vault.id, id);
  const credit = before ?? {
    score: strategy.initial_score,
    accessCount: 0,
    createdAt: tx.now,
    lastAccessed: tx.now,
  };
  await credits.setCredit(tx, { ...credit, vault: vault.id, id, version });
  await credits.insertCreditEvent(tx, vault.id, {
    memory_id: id,
    event_type: before ? 'restored' : 'created',
    new_score: credit.score,
  });
  return true;
}

async function dropCredit(tx: Tx, vault: VaultIdentity, id: string): Promise<void> {
  const used = await credits.creditOf(tx, vault.id, id);
  if (!used) return;
  await credits.insertCreditEvent(tx, vault.id, {
    memory_id: id,
    event_type: 'gone',
    old_score: used.score,
    accessCount: used.accessCount,
    lastAccessed: used.lastAccessed,
  });
  await credits.deleteCredit(tx, vault.id, id);
}

function isHome({ type, category, name, id, path }: VaultMemory): boolean {
  const home = placeFor({ type, category, name });
  return home.id === id && home.path === path;
}

function announce(tx: Tx, change: IndexChange): void {
  const all = Object.entries(change).flatMap(([what, ids]) => ids.map((id) => ({ what, id })));
  if (all.length > BULK) {
    const data = {
      added: change.added.length,
      changed: change.changed.length,
      removed: change.removed.length,
    };
    tx.emit({ kind: 'brain.reconciled', subject: 'vault', realm: 'hub', data });
    return;
  }
  for (const { what, id } of all) tx.emit({ kind: `brain.${what}`, subject: id, realm: 'hub' });
}
