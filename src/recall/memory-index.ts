import { analyse, indexTerms, type ItemText } from './analyse/analyse.ts';
import { writeDate } from './analyse/dates.ts';
import { episodeOf } from './episodes.ts';
import { packFlags, unpackFlags } from './item-flags.ts';
import { lowerBound } from './numbers.ts';
import { numberOf, scopeOf, STRETCH_SIZE } from './place.ts';
import type { IndexedItem, Postings } from './postings.ts';

/** An index that lives and dies with the process: the same ranking without a database. */
export interface MemoryIndex {
  add(item: ItemText & Readonly<{ id: string }>, scope?: number): void;
  remove(id: string): void;
  /** What a reader of these scopes sees; all of it by default. */
  postings(scopes?: ReadonlySet<number>): Postings;
}

type Run = { stretch: number; size: number };

export function createMemoryIndex(): MemoryIndex {
  const lists = new Map<string, number[]>();
  const items = new Map<number, IndexedItem>();
  const places = new Map<string, Readonly<{ number: number; terms: readonly string[] }>>();
  const runs = new Map<string, Run>();
  const stretches = new Map<number, number>();

  const place = (scope: number, key: string): number => {
    const run = runs.get(`${scope} ${key}`);
    if (run && run.size < STRETCH_SIZE)
      return numberOf({ scope, stretch: run.stretch, position: run.size++ });
    const stretch = stretches.get(scope) ?? 0;
    stretches.set(scope, stretch + 1);
    runs.set(`${scope} ${key}`, { stretch, size: 1 });
    return numberOf({ scope, stretch, position: 0 });
  };

  function remove(id: string): void {
    const filed = places.get(id);
    if (!filed) return;
    places.delete(id);
    items.delete(filed.number);
    for (const term of filed.terms) {
      const list = lists.get(term)!;
      list.splice(lowerBound(list, filed.number), 1);
      if (list.length === 0) lists.delete(term);
    }
  }

  return {
    remove,
    add(item, scope = 1) {
      remove(item.id);
      const analysis = analyse(item);
      const { key, isNamed } = episodeOf({
        episode: item.episode,
        tags: item.tags ?? [],
        seat: '',
        date: analysis.date,
      });
      const number = place(scope, key);
      const packed = packFlags(analysis, { isNamedEpisode: isNamed, isProcedure: false });
      const flags = unpackFlags(packed, writeDate(analysis.date));
      items.set(number, {
        number,
        id: item.id,
        terms: analysis.terms.join(' '),
        length: analysis.terms.length,
        flags,
      });
      const terms = indexTerms(analysis);
      places.set(item.id, { number, terms });
      for (const term of terms) {
        const list = lists.get(term);
        if (list) list.splice(lowerBound(list, number), 0, number);
        else lists.set(term, [number]);
      }
    },
    postings(scopes) {
      const sees = (number: number): boolean => scopes === undefined || scopes.has(scopeOf(number));
      const seen = (list: readonly number[]): readonly number[] =>
        scopes === undefined ? list : list.filter(sees);
      const visible = [...items.values()].filter((item) => sees(item.number));
      const size = {
        items: visible.length,
        terms: visible.reduce((sum, item) => sum + item.length, 0),
        stretches: [...stretches].reduce(
          (sum, [scope, count]) => sum + (scopes === undefined || scopes.has(scope) ? count : 0),
          0,
        ),
      };
      const startingWith = (prefix: string): readonly number[] => {
        const all = new Set<number>();
        for (const [term, list] of lists)
          if (term.startsWith(prefix)) for (const number of list) all.add(number);
        return seen([...all].sort((a, b) => a - b));
      };
      return {
        lists: (terms) => Promise.resolve(terms.map((term) => seen(lists.get(term) ?? []))),
        listsOfPrefixes: (prefixes) => Promise.resolve(prefixes.map(startingWith)),
        size: () => Promise.resolve(size),
        load: (numbers) => Promise.resolve(numbers.flatMap((number) => items.get(number) ?? [])),
      };
    },
  };
}
