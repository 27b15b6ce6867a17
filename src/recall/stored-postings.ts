import type { Query } from '../store/database.ts';
import { keyWord, listWord } from './fulltext/rows.ts';
import { scopeOf, scopeRange } from './place.ts';
import type { IndexedItem, Postings } from './postings.ts';
import * as rows from './rows.ts';
import type { Sight } from './scopes.ts';
import { wordKey } from './scopes.ts';
import { unpackTraits } from './traits.ts';

/** The stored index as one reader sees it, inside one snapshot. `isPastToo` also finds what no longer holds. */
export async function storedPostings(q: Query, sight: Sight, isPastToo = false): Promise<Postings> {
  const scopes = await rows.scopesSeen(q, sight);
  const seen = new Set(scopes.map((scope) => scope.no));
  const isEverything = sight.tenant === undefined && sight.team === undefined && sight.agent === undefined;
  const bounds = [scopeRange(scopes[0]?.no ?? 0)[0], scopeRange(scopes.at(-1)?.no ?? 0)[1]] as const;
  const keys = [wordKey(sight.space, false), ...(isPastToo ? [wordKey(sight.space, true)] : [])];

  const list = async (word: string): Promise<number[]> => {
    const found: number[] = [];
    for (const key of keys) found.push(...(await listWord(q, keyWord(key, word), bounds)));
    const visible = isEverything ? found : found.filter((number) => seen.has(scopeOf(number)));
    return keys.length === 1 ? visible : visible.sort((a, b) => a - b);
  };

  return {
    async lists(terms) {
      if (scopes.length === 0) return terms.map(() => []);
      const lists: number[][] = [];
      for (const term of terms) lists.push(await list(term));
      return lists;
    },
    async size() {
      const counts = await rows.countsSeen(q, sight);
      return { ...counts, stretches: scopes.reduce((sum, scope) => sum + scope.stretches, 0) };
    },
    async load(numbers) {
      const visible = numbers.filter((number) => seen.has(scopeOf(number)));
      return (await rows.itemsByNumber(q, visible, isPastToo)).map(toItem);
    },
  };
}

function toItem(row: rows.ItemRow): IndexedItem {
  return { number: row.no, id: row.id, terms: row.terms, traits: unpackTraits(row.traits, row.day) };
}
