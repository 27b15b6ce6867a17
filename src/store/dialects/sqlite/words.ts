// Words in tables of their own: `recall_text` is FTS5 without a copy of the words, `recall_fresh` those that wait for it.
import type { FoundWord, Query, Tx, WantedWord, WordIndex } from '../../database.ts';
import { keptOrRead, WeighedMap } from '../../../kernel/kept.ts';
import { once } from '../../../kernel/once.ts';
import { sql } from '../../sql.ts';
import { ascending, readNumbers } from '../numbers.ts';

/**
 * FTS5 writes a segment at every savepoint, and every unit of the store is one. So new words wait in a plain table, which
 * searches read as well, and are folded into the index many at a time. Both happen in the unit that saves.
 */
const FOLD_AT = 64;
/**
 * Every fold leaves a part of its own, and a search looks into each of them for every word. FTS5 merges them by itself only
 * once much was written; in a small store a dozen would stay.
 */
const MERGED_PAGES = 64;
/**
 * An index of at most so many of its own entries, some two thousand items, is written anew as one part with every fold: a word
 * is looked for in a third of the time, and a fold of 64 items takes some milliseconds more.
 */
const SMALL = 24;
/** Positions of an episode count up, so this looks now and then, and at least at the first item of every stretch. */
const LOOK_EVERY = 16;

export const sqliteWords: WordIndex = {
  column: () => ({ name: sql.empty, value: sql.empty }),
  add,
  async replace(tx, number, { before, after }) {
    await remove(tx, number, before);
    await add(tx, number, after);
  },
  remove,
  async empty(tx) {
    await tx.run(sql`
      insert into recall_text (recall_text)
      values ('delete-all')`);
    await tx.run(sql`
      delete from recall_fresh`);
  },
  refill: add,
  reader(q, within) {
    // One search asks for words, and then for the beginnings of some: what waits is read once.
    let waiting: Promise<Fresh> | undefined;
    return async (words) => {
      const bounds = await within.bounds();
      if (!bounds) return words.map(() => ({ numbers: [], having: 0 }));
      waiting ??= freshWithin(q, bounds);
      return list(q, words, { bounds, waiting: await waiting });
    };
  },
};

async function add(tx: Tx, number: number, words: readonly string[]): Promise<void> {
  await tx.run(sql`
    insert into recall_fresh (no, words)
    values (${number}, ${words.join(' ')})`);
  if (number % LOOK_EVERY !== 0) return;
  const fresh = await tx.get<{ count: number }>(sql`
    select count(*) as count
    from recall_fresh`);
  if (fresh!.count < FOLD_AT) return;
  await tx.run(sql`
    insert into recall_text (rowid, words)
    select no, words
    from recall_fresh`);
  await tx.run(sql`
    delete from recall_fresh`);
  const isLarge = await tx.get(sql`
    select 1
    from recall_text_idx
    limit 1 offset ${SMALL}`);
  // Below zero all parts are merged, whatever their size.
  await tx.run(sql`
    insert into recall_text (recall_text, rank)
    values ('merge', ${isLarge ? MERGED_PAGES : -MERGED_PAGES})`);
}

async function remove(tx: Tx, number: number, words: readonly string[]): Promise<void> {
  const wasFresh = await tx.run(sql`
    delete from recall_fresh
    where no = ${number}`);
  if (wasFresh > 0) return;
  await tx.run(sql`
    insert into recall_text (recall_text, rowid, words)
    values ('delete', ${number}, ${words.join(' ')})`);
}

type Bounds = readonly [from: number, to: number];
type FreshRow = Readonly<{ no: number; words: string }>;
type FreshItem = FreshRow & Readonly<{ has: ReadonlySet<string> }>;
/** What waits, by ascending numbers. */
type Fresh = Readonly<{ items: readonly FreshItem[]; table(): FreshTable }>;
/** Who has which word, and the words in order, so that those of one beginning stand together. */
type FreshTable = Readonly<{ having: ReadonlyMap<string, readonly number[]>; sorted: readonly string[] }>;

async function list(
  q: Query,
  words: readonly WantedWord[],
  { bounds: [from, to], waiting }: Readonly<{ bounds: Bounds; waiting: Fresh }>,
): Promise<FoundWord[]> {
  const isThere = await anyOf(q, words, [from, to]);
  const asked = words.flatMap(({ unlikely }, i) => (unlikely !== undefined && !isThere ? [] : [i]));
  const kept = await q.kept(`lists ${from} ${to}`, keepLists);
  const terms = asked.map((i) => termOf(words[i]!));
  const indexed = new Map(await keptOrRead(kept, terms, (missing) => indexedLists(q, missing, [from, to])));
  const lists: (readonly number[])[] = words.map((word) => freshWith(waiting, word));
  for (const [at, i] of asked.entries()) {
    const [found, fresh] = [indexed.get(terms[at]!)!, lists[i]!];
    lists[i] = fresh.length === 0 ? found : [...found, ...fresh].sort(ascending);
  }
  // Its index answers numbers alone, so nothing is gained by cutting a list off.
  return lists.map((numbers) => ({ numbers, having: numbers.length }));
}

/** A term and who of what the index holds has it. */
type IndexedList = readonly [term: string, numbers: readonly number[]];

/** Words of one question are asked for again by the next about the same. */
const MOST_NUMBERS = 200_000;
const keepLists = () =>
  Promise.resolve(new WeighedMap<string, IndexedList>(MOST_NUMBERS, ([, list]) => 20 + list.length));

async function indexedLists(
  q: Query,
  terms: readonly string[],
  [from, to]: Bounds,
): Promise<(readonly [string, IndexedList])[]> {
  const rows = await q.all<{ numbers: string | null }>(sql`
    select (
      select group_concat(rowid)
      from recall_text
      where recall_text match wanted.value
        and rowid >= ${from}
        and rowid < ${to}
    ) as numbers
    from json_each(${JSON.stringify(terms)}) wanted
    order by wanted.key`);
  return rows.map(({ numbers }, i) => [terms[i]!, [terms[i]!, readNumbers(numbers)]]);
}

const termOf = ({ word, isPrefix, beside = [] }: WantedWord): string =>
  [`"${word}"${isPrefix ? '*' : ''}`, ...beside.map((other) => `"${other}"`)].join(' AND ');

/**
 * Looking for one of several at once takes a fraction of looking for each, and mostly none is there. Where no word begins as
 * they all do, none is looked for until somebody has written.
 */
async function anyOf(q: Query, words: readonly WantedWord[], [from, to]: Bounds): Promise<boolean> {
  const unlikely = words.filter((word) => word.unlikely !== undefined);
  const likes = new Set(unlikely.map((word) => word.unlikely!));
  if (!(await isAnyLike(q, [...likes]))) return false;
  const found = await q.get(sql`
    select 1
    from recall_text
    where recall_text match ${unlikely.map(termOf).join(' OR ')}
      and rowid >= ${from}
      and rowid < ${to}
    limit 1`);
  return found !== undefined;
}

/** Where there were some there will be: then this, which collects all of them, is not asked again. In whichever file it was. */
const known = new Set<string>();

async function isAnyLike(q: Query, beginnings: readonly string[]): Promise<boolean> {
  for (const beginning of beginnings) {
    if (!known.has(beginning) && (await q.kept(`words like ${beginning}`, () => isOneLike(q, beginning))))
      known.add(beginning);
    if (known.has(beginning)) return true;
  }
  return false;
}

async function isOneLike(q: Query, beginning: string): Promise<boolean> {
  const found = await q.get(sql`
    select 1
    from recall_text
    where recall_text match ${termOf({ word: beginning, isPrefix: true })}
    limit 1`);
  return found !== undefined;
}

function freshWithin(q: Query, [from, to]: Bounds): Promise<Fresh> {
  return q.kept(`words that wait ${from} ${to}`, async () =>
    takeApart(
      await q.all<FreshRow>(sql`
        select no, words
        from recall_fresh
        where no >= ${from} and no < ${to}
        order by no`),
    ),
  );
}

/** The same words wait for many searches, so they are taken apart once. Known by what they are: whichever file they are of. */
let last: Fresh = freshOf([]);

function takeApart(rows: readonly FreshRow[]): Fresh {
  const before = new Map(last.items.map((item) => [item.no, item]));
  const items = rows.map(({ no, words }): FreshItem => {
    const same = before.get(no);
    return same?.words === words ? same : { no, words, has: new Set(words.split(' ')) };
  });
  const isSame = items.length === last.items.length && items.every((item, i) => item === last.items[i]);
  return isSame ? last : (last = freshOf(items));
}

/** The table is made for who asks for beginnings. A save, after which other words wait, never does. */
function freshOf(items: readonly FreshItem[]): Fresh {
  return { items, table: once(() => tableOf(items)) };
}

function tableOf(items: readonly FreshItem[]): FreshTable {
  const having = new Map<string, number[]>();
  for (const { no, has } of items)
    for (const word of has) {
      const numbers = having.get(word);
      if (numbers) numbers.push(no);
      else having.set(word, [no]);
    }
  return { having, sorted: [...having.keys()].sort() };
}

/** A list of its own: what is kept for the next search is not handed out. */
function freshWith({ items, table }: Fresh, { word, isPrefix, beside }: WantedWord): number[] {
  if (items.length === 0) return [];
  if (isPrefix) return startingWith(table(), word);
  const numbers: number[] = [];
  for (const { no, has } of items)
    if (has.has(word) && (beside === undefined || beside.every((one) => has.has(one)))) numbers.push(no);
  return numbers;
}

function startingWith({ having, sorted }: FreshTable, beginning: string): number[] {
  const numbers = new Set<number>();
  for (let at = placeOf(sorted, beginning); sorted[at]?.startsWith(beginning); at += 1)
    for (const no of having.get(sorted[at]!)!) numbers.add(no);
  return [...numbers].sort(ascending);
}

/** Where in the order the first is that does not stand before `word`. */
function placeOf(sorted: readonly string[], word: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sorted[middle]! < word) low = middle + 1;
    else high = middle;
  }
  return low;
}
