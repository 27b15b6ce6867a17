import { composeMemory, type NewHead } from '../frontmatter.ts';
import { effectiveScore } from '../credit.ts';
import { type Credit, type VaultMemory, toIso } from '../memory.ts';
import { archivePath, placeFor } from '../rules.ts';
import type { Strategy } from '../strategy.ts';
import type { CreditChange, FileChange } from '../vault/journal.ts';

/**
 * The vault as a compaction sees it. Planning changes only this model, so a dry run and a real one think alike, later
 * stages see what earlier ones decided, and what a plan leaves behind is what the next compaction would find.
 */
export type Item = Readonly<{
  memory: VaultMemory;
  text: string;
  sources: readonly string[];
  credit: Credit;
}>;

export type Planned = Readonly<{
  action: 'consolidate' | 'promote' | 'prune';
  targets: readonly string[];
  /** Episodes absorbed, facts promoted or memories archived. */
  count: number;
  changes: readonly FileChange[];
  credits: readonly CreditChange[];
  details: string;
}>;

type Changes = Pick<Planned, 'changes' | 'credits'>;

export interface Model {
  readonly now: number;
  readonly strategy: Strategy;
  /** By id, so that the same vault always gives the same plan. */
  sorted(): Item[];
  scoreOf(item: Item): number;
  isTaken(place: Readonly<{ id: string; path: string }>): boolean;
  /** A file of that path was archived before. */
  wasArchived(path: string): boolean;
  archive(item: Item): Changes;
  add(memory: VaultMemory, sources: readonly string[], credit: Credit): Changes;
  rewrite(item: Item, text: string, body: string): Changes;
}

export type ModelInput = Readonly<{
  items: readonly Item[];
  archived: ReadonlySet<string>;
  now: number;
  strategy: Strategy;
}>;

export function createModel({ items, archived, now, strategy }: ModelInput): Model {
  const byId = new Map(items.map((item) => [item.memory.id, item]));
  const taken = new Set([...items.map((item) => item.memory.path), ...archived]);

  const freeArchive = (path: string): string => {
    const suffix = `-${new Date(now).toISOString().replace(/[-:.]/g, '')}`;
    return taken.has(archivePath(path)) ? archivePath(path, suffix) : archivePath(path);
  };

  return {
    now,
    strategy,
    sorted: () => [...byId.values()].toSorted((a, b) => (a.memory.id < b.memory.id ? -1 : 1)),
    scoreOf: ({ credit }) => effectiveScore(credit, now, strategy),
    isTaken: ({ id, path }) => byId.has(id) || taken.has(path),
    wasArchived: (path) => archived.has(archivePath(path)),
    archive({ memory, text, credit }) {
      const target = freeArchive(memory.path);
      byId.delete(memory.id);
      taken.delete(memory.path);
      taken.add(target);
      return {
        changes: [
          { path: target, before: null, after: text },
          { path: memory.path, before: text, after: null },
        ],
        credits: [{ id: memory.id, before: credit, after: null }],
      };
    },
    add(memory, sources, credit) {
      const text = composeMemory(headOf(memory, sources), memory.body);
      byId.set(memory.id, { memory, text, sources, credit });
      taken.add(memory.path);
      return {
        changes: [{ path: memory.path, before: null, after: text }],
        credits: [{ id: memory.id, before: null, after: credit }],
      };
    },
    rewrite(item, text, body) {
      byId.set(item.memory.id, { ...item, text, memory: { ...item.memory, body, updatedAt: now } });
      return { changes: [{ path: item.memory.path, before: item.text, after: text }], credits: [] };
    },
  };
}

function headOf(memory: VaultMemory, sources: readonly string[]): NewHead {
  return {
    id: memory.id,
    type: memory.type,
    category: memory.category,
    tags: memory.tags,
    created: toIso(memory.createdAt),
    updated: toIso(memory.updatedAt),
    pinned: memory.pinned,
    ...(sources.length > 0 && { sources }),
  };
}

/** `episode-2026-01/old-chat`, as the documented details name things. */
export function detailName({ type, category, name }: VaultMemory): string {
  return `${type}-${category}/${name}`;
}

/** The first of `name`, `name-2`, `name-3` … that is free. */
export function freePlace(
  model: Model,
  place: Readonly<{ type: VaultMemory['type']; category: string; name: string }>,
): Readonly<{ id: string; path: string; name: string }> {
  for (let n = 1; ; n++) {
    const name = n === 1 ? place.name : `${place.name.slice(0, 75)}-${n}`;
    const found = placeFor({ ...place, name });
    if (!model.isTaken(found)) return { ...found, name };
  }
}
