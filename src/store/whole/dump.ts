import type { Query } from '../database.ts';
import { type Param, sql, type Sql } from '../sql.ts';
import { BLANKED } from './kept.ts';
import { type Also, carriedTables, type Table } from './tables.ts';

/** What a row holds on its way: numbers, text, nothing, or bytes as base64. */
export type Cell = string | number | null | Readonly<{ bytes: string }>;

export type DumpPart = Readonly<{ table: string; columns: readonly string[] }> | readonly Cell[];

const PAGE = 1000;

/**
 * Every carried row in one snapshot, table by table and by key: the same rows give the same parts on both engines.
 * `take` must be synchronous, since a unit waits for nothing but its statements.
 */
export async function dumpAll(q: Query, take: (part: DumpPart) => void, also?: Also): Promise<number> {
  let rows = 0;
  for (const table of await carriedTables(q, also)) {
    take({ table: table.name, columns: table.columns });
    for (let last: Row | undefined; ;) {
      const page: Row[] = await pageOf(q, table, last);
      for (const row of page) take(cellsOf(table, row));
      rows += page.length;
      if (page.length < PAGE) break;
      last = page.at(-1)!;
    }
  }
  return rows;
}

type Row = Readonly<Record<string, Param>>;

function pageOf(q: Query, { name, columns, key }: Table, after: Row | undefined): Promise<Row[]> {
  const fields = list(key);
  const values = after && sql.tuple(key.map((field) => after[field]!));
  return q.all<Row>(sql`
    select ${list([...new Set([...columns, ...key])])}
    from ${sql.quote(name)}
    ${values === undefined ? sql.empty : sql`where (${fields}) > ${values}`}
    order by ${fields}
    limit ${PAGE}`);
}

function cellsOf({ name, columns }: Table, row: Row): Cell[] {
  const blanks = BLANKED[name] ?? {};
  return columns.map((column) => {
    const blank = blanks[column];
    if (blank && 'value' in blank) return blank.value;
    if (blank) return `void:${String(row[blank.void])}`;
    const value = row[column]!;
    return value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('base64') } : value;
  });
}

export function list(names: readonly string[]): Sql {
  return sql.join(names.map(sql.quote), ', ');
}
