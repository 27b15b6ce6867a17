// An index over an expression: the words of the row itself, the parts of its names, its marks and the stretches of numbers it lies in. The statement must say
// exactly what the index says.
import type { Query, TurnIndex, WantedTurns } from '../../database.ts';
import { type Sql, sql } from '../../sql.ts';

/** What is no letter and no digit, by number: what a class means depends on the database's locale. */
const APART = String.raw`[\u0001-\u002f\u003a-\u0040\u005b-\u0060\u007b-\u00bf\u2000-\u206f\u2190-\u2bff\u3000-\u303f]+`;
const NEAR = 4_096;
const FAR = 65_536;
/** No word has it. */
const MARK = '#';

const WORDS = sql.raw(
  `(to_tsvector('english', regexp_replace(text || ' ' || coalesce(args, '') || ' ' || parts, '${APART}', ' ', 'g')) || array_to_tsvector(string_to_array('#near' || cast(no / ${NEAR} as text) || ' #far' || cast(no / ${FAR} as text) || ' #' || replace(marks, ' ', ' #'), ' ')))`,
);

export const postgresTurnWords: TurnIndex = {
  add: async () => undefined,
  remove: async () => undefined,
  /**
   * The index tells what matches and not what is newest, so it is asked for the newest stretch first. What is in every other turn is
   * there often enough; what is too rare for that is rare enough to be fetched from everywhere.
   */
  async newest(q, { below, most, ...wanted }) {
    const top = below ?? (await lastNumber(q)) + 1;
    const stretches = [stretch('near', NEAR), stretch('far', FAR), undefined];
    for (const within of stretches) {
      const found = await q.all<{ no: number }>(matching(wanted, { within: within?.(top), below, most }));
      if (within === undefined || found.length >= most) return found.map(({ no }) => no);
    }
    return [];
  },
};

async function lastNumber(q: Query): Promise<number> {
  const last = await q.get<{ no: number | null }>(sql`select max(no) as no from transcript_turns`);
  return last?.no ?? 0;
}

/** The one below `top`, and the one before it: the newest may have just begun. */
const stretch =
  (name: string, length: number) =>
  (top: number): readonly string[] => {
    const at = Math.floor((top - 1) / length);
    return [`${name}${at}`, `${name}${at - 1}`];
  };

type Window = Readonly<{ within: readonly string[] | undefined; below: number | undefined; most: number }>;

/** Found first, put in order then: a plan that goes through the newest rows takes the text of each apart. */
function matching(
  { words, spelt = [], takes, marks }: Omit<WantedTurns, 'below' | 'most'>,
  { within, below, most }: Window,
): Sql {
  const asQuery = (word: string): Sql =>
    sql`plainto_tsquery('english', regexp_replace(${word}, ${APART}, ' ', 'g'))`;
  const said = [
    ...words.map(asQuery),
    ...spelt.map(
      (ways) =>
        sql`(${sql.join(
          ways.map((way) => asQuery(way.join(' '))),
          ' || ',
        )})`,
    ),
  ];
  const asked = said.length === 0 ? [] : [sql`(${sql.join(said, takes === 'all' ? ' && ' : ' || ')})`];
  const marked = [...marks, ...(within ? [within] : [])].map((any) => sql`cast(${anyOf(any)} as tsquery)`);
  return sql`
    with found as materialized (
      select no
      from transcript_turns
      where ${WORDS} @@ (${sql.join([...asked, ...marked], ' && ')})
        ${below === undefined ? sql.empty : sql`and no < ${below}`}
    )
    select no
    from found
    order by no desc
    limit ${most}`;
}

const anyOf = (marks: readonly string[]): string =>
  marks.map((mark) => `'${MARK}${mark.replaceAll("'", "''")}'`).join(' | ');
