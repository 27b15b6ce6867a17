import type { Query } from '../database.ts';
import { isLeftOut, isOfSessions } from './kept.ts';

/** A table as both engines have it: what is carried of it, and what orders its rows. */
export type Table = Readonly<{ name: string; columns: readonly string[]; key: readonly string[] }>;

/** What is carried beside everything else. */
export type Also = 'sessions' | undefined;

/** The tables that are carried, by name. */
export async function carriedTables(q: Query, also?: Also): Promise<Table[]> {
  const columns = await q.dialect.schema.columns(q);
  const keys = await q.dialect.schema.keys(q);
  const isCarried = (name: string) => !isLeftOut(name) && (also === 'sessions' || !isOfSessions(name));
  const names = [...new Set(columns.map(({ name }) => name))].filter(isCarried).sort();
  return names.map((name) => {
    const own = columns.filter((column) => column.name === name).map(({ field }) => field);
    const carried = own.filter((field) => !q.dialect.schema.ownColumns[name]?.[field]).sort();
    const key = keys.filter((column) => column.name === name).map(({ field }) => field);
    return { name, columns: carried, key: key.length > 0 ? key : carried };
  });
}
