import type { Dialect } from '../../database.ts';
import { type Sql, sql } from '../../sql.ts';
import { sqliteSchema } from './schema.ts';
import { sqliteTurnWords } from './turn-words.ts';
import { sqliteWords } from './words.ts';

/** One writer at a time makes row locks needless. */
export const sqliteDialect: Dialect = {
  isShared: false,
  hasExtensions: false,
  skipLocked: sql.empty,
  forUpdate: sql.empty,
  forChange: sql.empty,
  isOneOf: (numbers) => sql`in ${valuesOf(numbers)}`,
  isOneOfTexts: (texts) => sql`in ${valuesOf(texts)}`,
  numbersIn: valuesOf,
  words: sqliteWords,
  turnWords: sqliteTurnWords,
  schema: sqliteSchema,
};

function valuesOf(list: readonly (number | string)[]): Sql {
  return sql`(select value from json_each(${JSON.stringify(list)}))`;
}
