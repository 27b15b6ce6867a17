// An index over an expression: the words of the row itself, and its marks. The statement must say exactly what the index says.
import type { TurnIndex } from '../../database.ts';
import { sql } from '../../sql.ts';

const WORDS = sql.raw(
  `(to_tsvector('english', regexp_replace(text || ' ' || coalesce(args, ''), '[^[:alnum:]]+', ' ', 'g')) || array_to_tsvector(string_to_array(marks, ' ')))`,
);

export const postgresTurnWords: TurnIndex = {
  add: async () => undefined,
  remove: async () => undefined,
  matching({ words, takes, marks, below, most }) {
    const said = words.map(
      (word) => sql`plainto_tsquery('english', regexp_replace(${word}, '[^[:alnum:]]+', ' ', 'g'))`,
    );
    const asked = said.length === 0 ? [] : [sql`(${sql.join(said, takes === 'all' ? ' && ' : ' || ')})`];
    const marked = marks.map(
      (any) => sql`cast(${any.map((mark) => `'${mark.replaceAll("'", "''")}'`).join(' | ')} as tsquery)`,
    );
    return sql`
      select no
      from transcript_turns
      where ${WORDS} @@ (${sql.join([...asked, ...marked], ' && ')})
        ${below === undefined ? sql.empty : sql`and no < ${below}`}
      order by no desc
      limit ${most}`;
  },
};
