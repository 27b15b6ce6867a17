import { createTurns } from '../../kernel/turns.ts';
import type { Database } from '../../store/database.ts';
import type { Credit, VaultMemory } from './memory.ts';
import { type Searchable, toSearchable } from './tiers.ts';
import { creditsSince, type MovedCredit } from './rows/credits.ts';
import { countMemories, listIds, memoriesSince } from './rows/memories.ts';
import { vaultById } from './rows/vaults.ts';

/**
 * A copy of the index in memory, because the documented search looks at every name, tag and text. Before each use it
 * asks for what is newer than its version, so it is never behind a change that was answered, in whatever process.
 */
export interface Catalogue {
  fresh(): Promise<Snapshot>;
}

type Snapshot = Readonly<{
  /** Changes with every change of the vault. */
  version: number;
  items: ReadonlyMap<string, Searchable>;
  credits: ReadonlyMap<string, Credit>;
  lastConsolidation: number | null;
  lastPruning: number | null;
}>;

export function createCatalogue(db: Database, vault: string): Catalogue {
  const items = new Map<string, Searchable>();
  const credits = new Map<string, Credit>();
  let version = -1;
  const turns = createTurns();

  async function sync(): Promise<Snapshot> {
    const news = await db.read(async (q) => {
      const row = (await vaultById(q, vault))!;
      if (row.version === version) return { row };
      const changed = await memoriesSince(q, vault, version);
      const moved = await creditsSince(q, vault, version);
      const added = changed.reduce((sum, memory) => sum + (items.has(memory.id) ? 0 : 1), 0);
      const isShorter = (await countMemories(q, vault)) !== items.size + added;
      return { row, changed, moved, ids: isShorter ? new Set(await listIds(q, vault)) : undefined };
    });
    if (news.changed) apply(news.changed, news.moved, news.ids);
    version = news.row.version;
    return {
      version,
      items,
      credits,
      lastConsolidation: news.row.lastConsolidation,
      lastPruning: news.row.lastPruning,
    };
  }

  function apply(
    changed: readonly VaultMemory[],
    moved: readonly MovedCredit[],
    ids: ReadonlySet<string> | undefined,
  ): void {
    for (const memory of changed) items.set(memory.id, toSearchable(memory));
    for (const { id, ...credit } of moved) credits.set(id, credit);
    if (!ids) return;
    for (const id of items.keys()) {
      if (ids.has(id)) continue;
      items.delete(id);
      credits.delete(id);
    }
  }

  return {
    fresh: () => turns.take(sync),
  };
}
