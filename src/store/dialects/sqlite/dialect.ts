import type { Dialect } from '../../database.ts';
import { type Sql, sql } from '../../sql.ts';

/** One writer at a time makes row locks needless. */
export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  isShared: false,
  skipLocked: sql.empty,
  forUpdate: sql.empty,
  forChange: sql.empty,
  hasOneWriter: true,
  isOneOf: (numbers) => sql`in ${valuesOf(numbers)}`,
  isOneOfTexts: (texts) => sql`in ${valuesOf(texts)}`,
  numbersIn: valuesOf,
};

function valuesOf(list: readonly (number | string)[]): Sql {
  return sql`(select value from json_each(${JSON.stringify(list)}))`;
}
