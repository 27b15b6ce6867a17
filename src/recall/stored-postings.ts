import type { Query } from '../store/database.ts';
import { keyWord, listWords } from './fulltext/rows.ts';
import { scopeOf, scopeRange } from './place.ts';
import type { IndexedItem, Postings } from './postings.ts';
import * as rows from './rows.ts';
import type { Sight } from './scopes.ts';
import { wordKey } from './scopes.ts';
import { unpackTraits } from './traits.ts';

/** The stored index as one reader sees it, inside one snapshot. `isPastToo` also finds what no longer holds. */
export async function storedPostings(q: Query, sight: Sight, isPastToo = false): Promise<Postings> {
  const scopes = await rows.scopesCounted(q, sight);
  const seen = new Set(scopes.map((scope) => scope.no));
  const isEverything = sight.tenant === undefined && sight.team === undefined && sight.agent === undefined;
  const bounds = [scopeRange(scopes[0]?.no ?? 0)[0], scopeRange(scopes.at(-1)?.no ?? 0)[1]] as const;
  const keys = [wordKey(sight.space, false), ...(isPastToo ? [wordKey(sight.space, true)] : [])];

  const isVisible = (number: number): boolean => isEverything || seen.has(scopeOf(number));

  return {
    async lists(terms) {
      if (scopes.length === 0) return terms.map(() => []);
      const found = await listWords(
        q,
        keys.flatMap((key) => terms.map((term) => keyWord(key, term))),
        bounds,
      );
      const [holding, past] = [found.slice(0, terms.length), found.slice(terms.length)];
      const all = past.length === 0 ? holding : holding.map((list, i) => [...list, ...past[i]!].sort((a, b) => a - b));
      return isEverything ? all : all.map((list) => list.filter(isVisible));
    },
    size() {
      const total = (pick: (scope: rows.CountedScope) => number): number => scopes.reduce((sum, scope) => sum + pick(scope), 0);
      return Promise.resolve({
        items: total((scope) => scope.items),
        terms: total((scope) => scope.terms),
        stretches: total((scope) => scope.stretches),
      });
    },
    async load(numbers) {
      if (scopes.length === 0) return [];
      const visible = numbers.filter(isVisible);
      return (await rows.contextByNumber(q, visible, isPastToo)).map(toItem);
    },
  };
}

function toItem(row: rows.ContextRow): IndexedItem {
  return { number: row.no, id: row.id, terms: row.terms, length: row.length, traits: unpackTraits(row.traits, row.day) };
}
