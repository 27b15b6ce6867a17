// A query of people (`kernel/query-language.ts`) as conditions of SQL: what every room that is searched says alike.
import { HubError } from '../kernel/errors.ts';
import { isLike, spanMeant, type Term } from '../kernel/query-fields.ts';
import { parseQuery, type PeopleQuery, type Reading } from '../kernel/query-language.ts';
import { type Sql, sql } from './sql.ts';

/** More of them are no question of a person's. */
const MOST = 32;

/** For what narrows or changes: a term that says nothing must not find everything. */
export function readStrictly(text: string, reading: Reading = {}): PeopleQuery {
  return refuse(parseQuery(text, reading), () => true);
}

/** For what looks: free text may hold what looks like a field, unless one is near. */
export function readFreely(text: string, reading: Reading = {}): PeopleQuery {
  return refuse(parseQuery(text, reading), ({ isText, meant }) => !isText || meant !== undefined);
}

function refuse(
  query: PeopleQuery,
  isOne: (problem: PeopleQuery['problems'][number]) => boolean,
): PeopleQuery {
  const problem = query.problems.find(isOne);
  if (problem) {
    const { says, meant, term } = problem;
    const guess = meant === undefined ? '' : ` Did you mean ${meant}?`;
    throw new HubError('invalid', `${says}${guess}`, {
      term,
      ...(meant !== undefined && { meant }),
      hint: `In quotes it is looked for as it stands: "${term.replaceAll('"', '')}".`,
    });
  }
  const { words, phrases, without, terms } = query;
  const parts = words.length + phrases.length + without.length + terms.length;
  if (parts <= MOST) return query;
  throw new HubError('invalid', `A query has at most ${MOST} words and terms; this has ${parts}.`);
}

const escaped = (text: string) => text.toLowerCase().replace(/[\\%_]/g, '\\$&');

export function contains(column: Sql, text: string): Sql {
  return sql`lower(coalesce(${column}, '')) like ${`%${escaped(text)}%`} escape '\\'`;
}

/** Every word and phrase is somewhere in what `has` looks at, and nothing of what must not be there. */
function textTerms({ words, phrases, without }: PeopleQuery, has: (text: string) => Sql): Sql[] {
  return [
    ...[...words, ...phrases].map((text) => sql`(${has(text)})`),
    ...without.map((text) => sql`not (${has(text)})`),
  ];
}

/** One of several, a beginning with `*`, or `none`: never null, so that it can be denied. */
export function isText(column: Sql, value: string): Sql {
  const each = value.split(',').map((one) => {
    if (one === 'none') return sql`coalesce(${column}, '') = ''`;
    if (!one.endsWith('*')) return sql`lower(coalesce(${column}, '')) = ${one.toLowerCase()}`;
    return sql`lower(coalesce(${column}, '')) like ${`${escaped(one.slice(0, -1))}%`} escape '\\'`;
  });
  return sql`(${sql.join(each, ' or ')})`;
}

export function isOneOf(column: Sql, value: string, choices: readonly string[]): Sql {
  const wanted = value.split(',');
  return sql`${column} in ${sql.in(choices.filter((choice) => wanted.some((one) => isLike(choice, one))))}`;
}

export function isCompared(column: Sql, op: Term['op'], value: number | string): Sql {
  return sql`(${column} is not null and ${column} ${sql.raw(op)} ${value})`;
}

/** A time of ours against a day or an age. */
export function isWithin(column: Sql, term: Term, now: number): Sql {
  if (term.value === 'none') return sql`${column} is null`;
  const { from, until } = spanMeant(term, now);
  return sql`(${column} is not null
      ${from === undefined ? sql.empty : sql`and ${column} >= ${from}`}
      ${until === undefined ? sql.empty : sql`and ${column} < ${until}`})`;
}

export const NOTHING = sql`1 = 0`;
export const EVERYTHING = sql`1 = 1`;

/** What a room can be asked about. What it has no field for, it does not have. */
export type QueryFields = Readonly<{
  /** Words of it. */
  has(text: string): Sql;
  fields: Readonly<Record<string, (term: Term) => Sql>>;
}>;

export function conditionsOf(query: PeopleQuery, { has, fields }: QueryFields): Sql[] {
  return [
    ...textTerms(query, has),
    ...query.terms.map((term) => {
      const condition = fields[term.field]?.(term) ?? NOTHING;
      return term.not ? sql`not (${condition})` : condition;
    }),
  ];
}

/** Of the kinds of things that are found, is this one asked for? */
export function isKind(term: Term, ...kinds: readonly string[]): Sql {
  const wanted = term.value.toLowerCase().split(',');
  return kinds.some((kind) => wanted.includes(kind)) ? EVERYTHING : NOTHING;
}
