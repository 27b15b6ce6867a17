import type { Dialect } from '../../database.ts';
import { sql } from '../../sql.ts';

/** One writer at a time makes row locks needless. */
export const sqliteDialect: Dialect = {
  engine: 'sqlite',
  isShared: false,
  skipLocked: sql.empty,
  forUpdate: sql.empty,
  forChange: sql.empty,
};
