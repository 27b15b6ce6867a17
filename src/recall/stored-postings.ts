import { keptOrRead, WeighedMap } from '../kernel/kept.ts';
import type { FoundWord, Query, WantedWord } from '../store/database.ts';
import { SPEAKER_MARK } from './analyse/analyse.ts';
import { learntFrom } from './learnt/rows.ts';
import { RARE, rootOf } from './matched-terms.ts';
import { scopeOf, scopeRange } from './place.ts';
import { unpackFlags } from './item-flags.ts';
import type { IndexedItem, PostingList, Postings } from './postings.ts';
import { listsOfQuestion } from './question-lists.ts';
import * as rows from './rows.ts';
import { type Sight, wordPrefix } from './scopes.ts';

/** The stored index as one reader sees it, inside one snapshot. `isPastToo` also finds what no longer holds. */
export function storedPostings(q: Query, sight: Sight, isPastToo = false): Postings {
  // Not awaited here: on PostgreSQL the lists are asked for on the same way to the server.
  const counted = rows.scopesCounted(q, sight);
  counted.catch(() => undefined);
  const isEverything = sight.tenant === undefined && sight.team === undefined && sight.agent === undefined;
  const keys = (isPastToo ? [false, true] : [false]).map((isPast) => wordPrefix(sight.space, isPast));
  const list = q.dialect.words.reader(q, { rare: RARE, bounds });

  async function bounds(): Promise<readonly [number, number] | undefined> {
    const scopes = await counted;
    return scopes.length === 0 ? undefined : [scopeRange(scopes[0]!.no)[0], scopeRange(scopes.at(-1)!.no)[1]];
  }

  async function visibly(): Promise<(number: number) => boolean> {
    const seen = new Set((await counted).map((scope) => scope.no));
    return isEverything ? () => seen.size > 0 : (number) => seen.has(scopeOf(number));
  }

  async function listed(terms: readonly string[], isPrefix: boolean): Promise<readonly PostingList[]> {
    if (terms.length === 0) return [];
    const wanted = keys.flatMap((key) => terms.map((term) => wantedOf(key, term, isPrefix)));
    const found = (await list(wanted)).map(({ numbers }) => numbers);
    const [holding, past] = [found.slice(0, terms.length), found.slice(terms.length)];
    const all = past.length === 0 ? holding : holding.map((numbers, i) => mergeAscending(numbers, past[i]!));
    if (isEverything) return all;
    const isVisible = await visibly();
    return all.map((numbers) => numbers.filter(isVisible));
  }

  /** Of a list that was cut off, the share of it that is in sight tells how many are. */
  async function sighted(): Promise<(found: FoundWord) => FoundWord> {
    const isVisible = await visibly();
    return ({ numbers, having }) => {
      if (isEverything) return { numbers, having };
      const visible = numbers.filter(isVisible);
      return { numbers: visible, having: having * (visible.length / Math.max(1, numbers.length)) };
    };
  }

  return {
    listsOfQuestion: isPastToo
      ? undefined
      : (words, marks) => {
          const wanted = [...words, ...marks].map((term) => wantedOf(keys[0]!, term, false));
          return listsOfQuestion(list, { wanted, words: words.length, seen: sighted() });
        },
    lists: (terms) => listed(terms, false),
    listsOfPrefixes: (prefixes) => listed(prefixes, true),
    async size() {
      const scopes = await counted;
      const total = (pick: (scope: rows.CountedScope) => number): number =>
        scopes.reduce((sum, scope) => sum + pick(scope), 0);
      return {
        items: total((scope) => scope.items),
        terms: total((scope) => scope.terms),
        stretches: total((scope) => scope.stretches),
      };
    },
    async learnt(terms) {
      const keyed = new Map(terms.map((term) => [keys[0]! + term, term]));
      const [found, isVisible] = await Promise.all([learntFrom(q, sight, [...keyed.keys()]), visibly()]);
      const learnt = new Map<number, Map<string, Set<string>>>();
      for (const { no, word, by } of found) {
        if (!isVisible(no)) continue;
        const words = valueOf(learnt, no, () => new Map<string, Set<string>>());
        valueOf(words, keyed.get(word)!, () => new Set<string>()).add(by);
      }
      return new Map(
        [...learnt].map(([no, words]) => [no, new Map([...words].map(([term, by]) => [term, by.size]))]),
      );
    },
    async load(numbers) {
      const visible = numbers.filter(await visibly());
      const kept = await q.kept(`items ${isPastToo}`, keepItems);
      const items = await keptOrRead(kept, visible, async (missing) =>
        (await rows.contextByNumber(q, missing, isPastToo)).map((row) => [row.no, toItem(row)] as const),
      );
      // In one order, whichever were kept: what is added up of them is the same to the last digit.
      return items.sort((a, b) => a.number - b.number);
    },
  };
}

/** Whoever asks again in other words, or asks about the same, reads most of them again. A thousand notes, or a few pages. */
const MOST_LETTERS = 500_000;
const keepItems = () =>
  Promise.resolve(new WeighedMap<number, IndexedItem>(MOST_LETTERS, ({ terms }) => 200 + terms.length));

function wantedOf(key: string, term: string, isPrefix: boolean): WantedWord {
  const root = isPrefix ? undefined : rootOf(term);
  const unlikely = term.startsWith(SPEAKER_MARK) ? key + SPEAKER_MARK : undefined;
  return { word: key + term, isPrefix, unlikely, root: root && key + root };
}

function valueOf<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key) ?? make();
  map.set(key, known);
  return known;
}

function mergeAscending(a: PostingList, b: PostingList): PostingList {
  return [...a, ...b].sort((one, other) => one - other);
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
