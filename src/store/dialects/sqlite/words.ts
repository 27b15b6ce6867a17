// Words in tables of their own: `recall_text` is FTS5 without a copy of the words, `recall_fresh` those that wait for it.
import type { FoundWord, Query, Tx, WantedWord, WordIndex } from '../../database.ts';
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
/** What waits, and who of it has which word. */
type Fresh = Readonly<{
  rows: readonly FreshRow[];
  having: ReadonlyMap<string, readonly number[]>;
  /** The words in order, so that those of one beginning stand together. A save, which changes what waits, never asks. */
  sorted(): readonly string[];
}>;

async function list(
  q: Query,
  words: readonly WantedWord[],
  { bounds: [from, to], waiting }: Readonly<{ bounds: Bounds; waiting: Fresh }>,
): Promise<FoundWord[]> {
  const isThere = await anyOf(q, words, [from, to]);
  const asked = words.flatMap(({ isUnlikely }, i) => (isUnlikely && !isThere ? [] : [i]));
  const rows = await q.all<{ numbers: string | null }>(sql`
    select (
      select group_concat(rowid)
      from recall_text
      where recall_text match wanted.value
        and rowid >= ${from}
        and rowid < ${to}
    ) as numbers
    from json_each(${JSON.stringify(asked.map((i) => termOf(words[i]!)))}) wanted
    order by wanted.key`);
  const lists = words.map((word) => freshWith(waiting, word));
  for (const [at, i] of asked.entries()) {
    const indexed = readNumbers(rows[at]!.numbers);
    lists[i] = lists[i]!.length === 0 ? indexed : [...indexed, ...lists[i]!].sort(ascending);
  }
  // Its index answers numbers alone, so nothing is gained by cutting a list off.
  return lists.map((numbers) => ({ numbers, having: numbers.length }));
}

const termOf = ({ word, isPrefix, beside = [] }: WantedWord): string =>
  [`"${word}"${isPrefix ? '*' : ''}`, ...beside.map((other) => `"${other}"`)].join(' AND ');

/** Looking for one of several at once takes a fraction of looking for each, and mostly none is there. */
async function anyOf(q: Query, words: readonly WantedWord[], [from, to]: Bounds): Promise<boolean> {
  const unlikely = words.filter(({ isUnlikely }) => isUnlikely);
  if (unlikely.length === 0) return false;
  const found = await q.get(sql`
    select 1
    from recall_text
    where recall_text match ${unlikely.map(termOf).join(' OR ')}
      and rowid >= ${from}
      and rowid < ${to}
    limit 1`);
  return found !== undefined;
}

async function freshWithin(q: Query, [from, to]: Bounds): Promise<Fresh> {
  const rows = await q.all<FreshRow>(sql`
    select no, words
    from recall_fresh
    where no >= ${from} and no < ${to}
    order by no`);
  if (!isSame(rows, lastWaiting.rows)) lastWaiting = takeApart(rows);
  return lastWaiting;
}

/** The same words wait for many searches, so they are taken apart once. Known by what they are: whichever file they are of. */
let lastWaiting: Fresh = takeApart([]);

function isSame(rows: readonly FreshRow[], others: readonly FreshRow[]): boolean {
  return (
    rows.length === others.length &&
    rows.every(({ no, words }, i) => no === others[i]!.no && words === others[i]!.words)
  );
}

function takeApart(rows: readonly FreshRow[]): Fresh {
  const having = new Map<string, number[]>();
  for (const { no, words } of rows) {
    for (const word of words.split(' ')) {
      const numbers = having.get(word);
      if (!numbers) having.set(word, [no]);
      else if (numbers.at(-1) !== no) numbers.push(no);
    }
  }
  let sorted: readonly string[] | undefined;
  return { rows, having, sorted: () => (sorted ??= [...having.keys()].sort()) };
}

function freshWith(waiting: Fresh, wanted: WantedWord): number[] {
  const numbers = freshOf(waiting, wanted);
  if (wanted.beside === undefined || numbers.length === 0) return numbers;
  const others = wanted.beside.map((word) => new Set(waiting.having.get(word)));
  return numbers.filter((no) => others.every((having) => having.has(no)));
}

/** A list of its own: what is kept for the next search is not handed out. */
function freshOf({ having, sorted }: Fresh, { word, isPrefix }: WantedWord): number[] {
  if (!isPrefix) return [...(having.get(word) ?? [])];
  const numbers = new Set<number>();
  const words = sorted();
  for (let at = placeOf(words, word); words[at]?.startsWith(word); at += 1)
    for (const no of having.get(words[at]!)!) numbers.add(no);
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
