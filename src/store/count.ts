import type { Query } from './database.ts';
import type { Sql } from './sql.ts';

/** What a statement that answers `count` counts. */
export async function countRows(q: Query, statement: Sql): Promise<number> {
  return (await q.get<{ count: number }>(statement))?.count ?? 0;
}

/** The same by the word that stands beside each `count`. */
export async function countByWord(q: Query, statement: Sql): Promise<Readonly<Record<string, number>>> {
  const rows = await q.all<{ word: string; count: number }>(statement);
  return Object.fromEntries(rows.map(({ word, count }) => [word, count]));
}
