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

/** PostgreSQL keeps the words in the item's row, SQLite in a table of its own. */
export function wordsColumn(q: Query, words: readonly string[]): Readonly<{ name: Sql; value: Sql }> {
  return q.dialect.engine === 'postgres' ? { name: sql`, words`, value: sql`, ${lexemes(words)}` } : { name: sql.empty, value: sql.empty };
}

export async function addWords(tx: Tx, number: number, words: readonly string[]): Promise<void> {
  if (tx.dialect.engine === 'postgres') return;
  await tx.run(sql`
    insert into recall_text (rowid, words)
    values (${number}, ${words.join(' ')})`);
}

export async function replaceWords(tx: Tx, number: number, before: readonly string[], after: readonly string[]): Promise<void> {
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
  await tx.run(sql`
    insert into recall_text (recall_text, rowid, words)
    values ('delete', ${number}, ${words.join(' ')})`);
}

type ListRow = { numbers: string | null };

/** Numbers of the items with that word between the two bounds, ascending. */
export async function listWord(q: Query, word: string, [from, to]: readonly [number, number]): Promise<number[]> {
  const row =
    q.dialect.engine === 'postgres'
      ? await q.get<ListRow>(sql`
          select string_agg(cast(no as text), ',' order by no) as numbers
          from recall_items
          where words @@ cast(${quoteLexeme(word)} as tsquery)
            and no >= ${from}
            and no < ${to}`)
      : await q.get<ListRow>(sql`
          select group_concat(rowid) as numbers
          from recall_text
          where recall_text match ${`"${word}"`}
            and rowid >= ${from}
            and rowid < ${to}`);
  return row?.numbers ? row.numbers.split(',').map(Number) : [];
}

function quoteLexeme(word: string): string {
  return `'${word.replace(/\\/g, '\\\\').replace(/'/g, "''")}'`;
}
