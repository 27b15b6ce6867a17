import type { Query } from '../store/database.ts';
import { keyWord, listWords } from './fulltext/rows.ts';
import { scopeOf, scopeRange } from './place.ts';
import { unpackFlags } from './item-flags.ts';
import type { IndexedItem, PostingList, Postings } from './postings.ts';
import * as rows from './rows.ts';
import type { Sight } from './scopes.ts';
import { wordKey } from './scopes.ts';

/** The stored index as one reader sees it, inside one snapshot. `isPastToo` also finds what no longer holds. */
export async function storedPostings(q: Query, sight: Sight, isPastToo = false): Promise<Postings> {
  const scopes = await rows.scopesCounted(q, sight);
  const seen = new Set(scopes.map((scope) => scope.no));
  const isEverything = sight.tenant === undefined && sight.team === undefined && sight.agent === undefined;
  const bounds = [scopeRange(scopes[0]?.no ?? 0)[0], scopeRange(scopes.at(-1)?.no ?? 0)[1]] as const;
  const keys = [wordKey(sight.space, false), ...(isPastToo ? [wordKey(sight.space, true)] : [])];

  const isVisible = (number: number): boolean => isEverything || seen.has(scopeOf(number));

  async function listed(terms: readonly string[], isPrefix: boolean): Promise<readonly PostingList[]> {
    if (scopes.length === 0 || terms.length === 0) return terms.map(() => []);
    const words = keys.flatMap((key) => terms.map((term) => ({ word: keyWord(key, term), isPrefix })));
    const found = await listWords(q, words, bounds);
    const [holding, past] = [found.slice(0, terms.length), found.slice(terms.length)];
    const all =
      past.length === 0 ? holding : holding.map((list, i) => [...list, ...past[i]!].sort((a, b) => a - b));
    return isEverything ? all : all.map((list) => list.filter(isVisible));
  }

  return {
    lists: (terms) => listed(terms, false),
    listsOfPrefixes: (prefixes) => listed(prefixes, true),
    size() {
      const total = (pick: (scope: rows.CountedScope) => number): number =>
        scopes.reduce((sum, scope) => sum + pick(scope), 0);
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
  return {
    number: row.no,
    id: row.id,
    terms: row.terms,
    length: row.length,
    flags: unpackFlags(row.flags, row.day),
  };
}
