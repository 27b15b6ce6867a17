// `transcript_words` is FTS5 without a copy of the words and without positions: a fifth of the text. Marks are words with a sign before
// them that nobody types.
import type { TurnIndex } from '../../database.ts';
import { sql } from '../../sql.ts';

/** Of a private area, so a word of its own for the tokenizer. */
const MARK = '\uE000';

/** What the index was given of a row: nothing keeps a copy, so whoever takes it out has to say the same again. */
const WORDS = sql.raw(
  `text || ' ' || coalesce(args, '') || ' ' || parts || ' ${MARK}' || replace(marks, ' ', ' ${MARK}')`,
);

export const sqliteTurnWords: TurnIndex = {
  async add(tx, numbers) {
    await tx.run(sql`
      insert into transcript_words (rowid, words)
      select no, ${WORDS}
      from transcript_turns
      where no ${tx.dialect.isOneOf(numbers)}`);
  },
  async remove(tx, numbers) {
    await tx.run(sql`
      insert into transcript_words (transcript_words, rowid, words)
      select 'delete', no, ${WORDS}
      from transcript_turns
      where no ${tx.dialect.isOneOf(numbers)}`);
  },
  async newest(q, { words, spelt = [], takes, marks, below, most }) {
    const quoted = (word: string): string => `"${word.replaceAll('"', '""')}"`;
    const said = [
      ...words.map(quoted),
      ...spelt.map((ways) => `(${ways.map((way) => `(${way.map(quoted).join(' AND ')})`).join(' OR ')})`),
    ];
    const asked = said.length === 0 ? [] : [`(${said.join(takes === 'all' ? ' AND ' : ' OR ')})`];
    const marked = marks.map((any) => `(${any.map((mark) => `"${MARK}${mark}"`).join(' OR ')})`);
    const all = [...asked, ...marked].join(' AND ');
    const found = await q.all<{ no: number }>(sql`
      select rowid as no
      from transcript_words
      where transcript_words match ${all}
        ${below === undefined ? sql.empty : sql`and rowid < ${below}`}
      order by rowid desc
      limit ${most}`);
    return found.map(({ no }) => no);
  },
};
