import { analyse, indexTerms } from './analyse/analyse.ts';
import type { ItemText } from './analyse/analyse.ts';
import { writeDate } from './analyse/dates.ts';
import { episodeOf } from './episodes.ts';
import { numberOf, scopeOf, STRETCH_SIZE } from './place.ts';
import type { IndexedItem, Postings } from './postings.ts';
import { packTraits, unpackTraits } from './traits.ts';

/** An index that lives and dies with the process: the same ranking without a database. */
export interface MemoryIndex {
  add(item: ItemText & Readonly<{ id: string; episode?: string }>, scope?: number): void;
  /** What a reader of these scopes sees; all of it by default. */
  postings(scopes?: ReadonlySet<number>): Postings;
}

type Run = { stretch: number; size: number };

export function createMemoryIndex(): MemoryIndex {
  const lists = new Map<string, number[]>();
  const items = new Map<number, IndexedItem>();
  const runs = new Map<string, Run>();
  const stretches = new Map<number, number>();

  const place = (scope: number, key: string): number => {
    const run = runs.get(`${scope} ${key}`);
    if (run && run.size < STRETCH_SIZE) return numberOf({ scope, stretch: run.stretch, position: run.size++ });
    const stretch = stretches.get(scope) ?? 0;
    stretches.set(scope, stretch + 1);
    runs.set(`${scope} ${key}`, { stretch, size: 1 });
    return numberOf({ scope, stretch, position: 0 });
  };

  return {
    add(item, scope = 1) {
      const analysis = analyse(item);
      const { key, isNamed } = episodeOf({ episode: item.episode, tags: item.tags ?? [], seat: '', date: analysis.date });
      const number = place(scope, key);
      const traits = unpackTraits(packTraits(analysis, isNamed), writeDate(analysis.date));
      items.set(number, { number, id: item.id, terms: analysis.terms.join(' '), length: analysis.terms.length, traits });
      for (const term of indexTerms(analysis)) lists.set(term, [...(lists.get(term) ?? []), number]);
    },
    postings(scopes) {
      const sees = (number: number): boolean => scopes === undefined || scopes.has(scopeOf(number));
      const visible = [...items.values()].filter((item) => sees(item.number));
      const size = {
        items: visible.length,
        terms: visible.reduce((sum, item) => sum + item.length, 0),
        stretches: [...stretches].reduce((sum, [scope, count]) => sum + (scopes === undefined || scopes.has(scope) ? count : 0), 0),
      };
      return {
        lists: (terms) => Promise.resolve(terms.map((term) => (lists.get(term) ?? []).filter(sees).sort((a, b) => a - b))),
        size: () => Promise.resolve(size),
        load: (numbers) => Promise.resolve(numbers.flatMap((number) => items.get(number) ?? [])),
      };
    },
  };
}
