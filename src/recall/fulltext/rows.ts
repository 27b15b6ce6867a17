import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';
import type { Sql } from '../../store/sql.ts';

/**
 * The one place where the engines' full text differs. Both get the same analysed words and are asked for one word at
 * a time, so both answer the same lists; nothing here ranks. A word carries the space it belongs to, so that a
 * question cannot even name a word of another space.
 */
export type WordKey = Readonly<{ space: string; isPast: boolean }>;

/** What a word is stored as: `<space>.<word>`, or `<space>!<word>` once its item is no longer valid. */
export function keyWord(key: WordKey, word: string): string {
  return `${key.space}${key.isPast ? '!' : '.'}${word}`;
}

/** PostgreSQL keeps the words in the item's row, SQLite in tables of their own. */
export function wordsColumn(q: Query, words: readonly string[]): Readonly<{ name: Sql; value: Sql }> {
  return q.dialect.engine === 'postgres'
    ? { name: sql`, words`, value: sql`, ${lexemes(words)}` }
    : { name: sql.empty, value: sql.empty };
}

/**
 * FTS5 writes a segment at every savepoint, and every unit of the store is one. So new words wait in a plain table, which
 * searches read as well, and are folded into the index many at a time. Both happen in the unit that saves.
 */
const FOLD_AT = 64;
/** Positions of an episode count up, so this looks now and then, and at least at the first item of every stretch. */
const LOOK_EVERY = 16;

export async function addWords(tx: Tx, number: number, words: readonly string[]): Promise<void> {
  if (tx.dialect.engine === 'postgres') return;
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
}

export async function replaceWords(
  tx: Tx,
  number: number,
  { before, after }: Readonly<{ before: readonly string[]; after: readonly string[] }>,
): Promise<void> {
  if (tx.dialect.engine === 'postgres') {
    await tx.run(sql`
      update recall_items
      set words = ${lexemes(after)}
      where no = ${number}`);
    return;
  }
  await removeWords(tx, number, before);
  await addWords(tx, number, after);
}

function lexemes(words: readonly string[]): Sql {
  return sql`array_to_tsvector(array(select json_array_elements_text(cast(${JSON.stringify(words)} as json))))`;
}

/** The words must be exactly those that were added: the index keeps no copy of its own. */
export async function removeWords(tx: Tx, number: number, words: readonly string[]): Promise<void> {
  if (tx.dialect.engine === 'postgres') return;
  const wasFresh = await tx.run(sql`
    delete from recall_fresh
    where no = ${number}`);
  if (wasFresh > 0) return;
  await tx.run(sql`
    insert into recall_text (recall_text, rowid, words)
    values ('delete', ${number}, ${words.join(' ')})`);
}

/** PostgreSQL has its words in the rows of the items. */
export async function emptyWords(tx: Tx): Promise<void> {
  if (tx.dialect.engine === 'postgres') return;
  await tx.run(sql`
    insert into recall_text (recall_text)
    values ('delete-all')`);
  await tx.run(sql`
    delete from recall_fresh`);
}

/** A word as it is looked for: whole, or only its beginning. */
export type WantedWord = Readonly<{ word: string; isPrefix: boolean }>;

type Bounds = readonly [from: number, to: number];

/** A list on PostgreSQL; `ofRoot` is that of the word's beginning, where one was named and few items have the word. */
export type LexemeList = Readonly<{ numbers: number[]; ofRoot: number[] | undefined }>;

/** A word as PostgreSQL is asked for it, and the beginning to look for if at most `rare` items have it. */
type WantedLexeme = WantedWord & Readonly<{ root?: string | undefined }>;

/**
 * For each word the numbers of the items that have it, ascending, in one statement, because what counts is the way to the
 * server and back. The words are looked up one by one inside it: as a join, or with bounds on the number, the planner would
 * rather read every item than use the index of words.
 */
export async function listLexemes(
  q: Query,
  words: readonly WantedLexeme[],
  rare: number,
): Promise<LexemeList[]> {
  const wanted = words.map(({ word, isPrefix, root }) => [
    `${quoteLexeme(word)}${isPrefix ? ':*' : ''}`,
    root === undefined ? null : `${quoteLexeme(root)}:*`,
  ]);
  const rows = await q.all<{ numbers: string | null; kin: string | null }>(sql`
    select
      found.numbers,
      case when found.count <= ${rare} then (
        select string_agg(cast(no as text), ',')
        from recall_items
        where words @@ cast(wanted.pair ->> 1 as tsquery)
      ) end as kin
    from json_array_elements(cast(${JSON.stringify(wanted)} as json)) with ordinality as wanted (pair, place)
    cross join lateral (
      select string_agg(cast(no as text), ',') as numbers, count(*) as count
      from recall_items
      where words @@ cast(wanted.pair ->> 0 as tsquery)
    ) found
    order by wanted.place`);
  return rows.map(({ numbers, kin }, i) => {
    const list = readNumbers(numbers).sort(ascending);
    const hasRoot = words[i]!.root !== undefined && list.length <= rare;
    return { numbers: list, ofRoot: hasRoot ? readNumbers(kin).sort(ascending) : undefined };
  });
}

const ascending = (a: number, b: number): number => a - b;

/** The same on SQLite; words that are not yet in the index stand in a small table of their own. The bounds only spare work. */
export async function listIndexed(
  q: Query,
  words: readonly WantedWord[],
  [from, to]: Bounds,
): Promise<number[][]> {
  const wanted = words.map(({ word, isPrefix }) => `"${word}"${isPrefix ? '*' : ''}`);
  const rows = await q.all<{ numbers: string | null }>(sql`
    select (
      select group_concat(rowid)
      from recall_text
      where recall_text match wanted.value
        and rowid >= ${from}
        and rowid < ${to}
    ) as numbers
    from json_each(${JSON.stringify(wanted)}) wanted
    order by wanted.key`);
  const lists = rows.map((row) => readNumbers(row.numbers));
  const fresh = await listFresh(q, words, [from, to]);
  return lists.map((list, i) => (fresh[i]!.length === 0 ? list : mergeNumbers(list, fresh[i]!)));
}

function readNumbers(joined: string | null): number[] {
  return joined ? (JSON.parse(`[${joined}]`) as number[]) : [];
}

function mergeNumbers(list: readonly number[], more: readonly number[]): number[] {
  return [...list, ...more].sort((a, b) => a - b);
}

/** New words wait as they were joined, so each is looked for in the text rather than in a list made of it. */
async function listFresh(q: Query, words: readonly WantedWord[], [from, to]: Bounds): Promise<number[][]> {
  const rows = await q.all<{ no: number; words: string }>(sql`
    select no, words
    from recall_fresh
    where no >= ${from} and no < ${to}
    order by no`);
  const texts = rows.map(({ words: kept }) => ` ${kept} `);
  return words.map(({ word, isPrefix }) => {
    const needle = isPrefix ? ` ${word}` : ` ${word} `;
    return rows.flatMap(({ no }, i) => (texts[i]!.includes(needle) ? [no] : []));
  });
}

function quoteLexeme(word: string): string {
  return `'${word.replace(/\\/g, '\\\\').replace(/'/g, "''")}'`;
}
