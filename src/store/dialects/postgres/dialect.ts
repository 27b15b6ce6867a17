import type { Dialect } from '../../database.ts';
import { sql } from '../../sql.ts';

export const postgresDialect: Dialect = {
  engine: 'postgres',
  isShared: true,
  skipLocked: sql.raw('for update skip locked'),
  forUpdate: sql.raw('for update'),
  forChange: sql.raw('for no key update'),
};
