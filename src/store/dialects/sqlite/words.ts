// Words in tables of their own: `recall_text` is FTS5 without a copy of the words, `recall_fresh` those that wait for it.
import type { Query, Tx, WantedWord, WordIndex } from '../../database.ts';
import { sql } from '../../sql.ts';
import { ascending, readNumbers } from '../numbers.ts';

/**
 * FTS5 writes a segment at every savepoint, and every unit of the store is one. So new words wait in a plain table, which
 * searches read as well, and are folded into the index many at a time. Both happen in the unit that saves.
 */
const FOLD_AT = 64;
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
  reader: (q, within) => async (words) => {
    const bounds = await within.bounds();
    return bounds ? list(q, words, bounds) : words.map(() => []);
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

async function list(q: Query, words: readonly WantedWord[], [from, to]: Bounds): Promise<number[][]> {
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
  const fresh = await listFresh(q, words, [from, to]);
  return rows.map(({ numbers }, i) => {
    const indexed = readNumbers(numbers);
    return fresh[i]!.length === 0 ? indexed : [...indexed, ...fresh[i]!].sort(ascending);
  });
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
