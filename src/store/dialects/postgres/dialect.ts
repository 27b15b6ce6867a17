import type { Dialect } from '../../database.ts';
import { sql } from '../../sql.ts';
import { postgresSchema } from './schema.ts';
import { postgresTurnWords } from './turn-words.ts';
import { postgresWords } from './words.ts';

export const postgresDialect: Dialect = {
  isShared: true,
  hasExtensions: true,
  skipLocked: sql.raw('for update skip locked'),
  forUpdate: sql.raw('for update'),
  forChange: sql.raw('for no key update'),
  // As an array, because it would rather read all of a small table than look up the rows of a subquery.
  isOneOf: (numbers) => sql`= any(cast(${`{${numbers.join()}}`} as bigint[]))`,
  isOneOfTexts: (texts) =>
    sql`= any(array(select json_array_elements_text(cast(${JSON.stringify(texts)} as json))))`,
  numbersIn: (numbers) =>
    sql`(select cast(json_array_elements_text(cast(${JSON.stringify(numbers)} as json)) as bigint))`,
  words: postgresWords,
  turnWords: postgresTurnWords,
  schema: postgresSchema,
};
