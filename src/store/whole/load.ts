import { HubError } from '../../kernel/errors.ts';
import type { Query, Tx } from '../database.ts';
import { type Param, sql } from '../sql.ts';
import { type Cell, list, type DumpPart } from './dump.ts';
import { OF_A_FRESH_HUB } from './kept.ts';
import { carriedTables, type Table } from './tables.ts';

/** Rows in one statement; what is left over goes one by one, so that a table has two statements and not a hundred. */
const AT_ONCE = 100;

/** The tables that hold something of somebody's. */
export async function usedTables(q: Query): Promise<string[]> {
  const used: string[] = [];
  for (const { name } of await carriedTables(q)) {
    if (OF_A_FRESH_HUB.has(name)) continue;
    if (await q.get(sql`select 1 as one from ${sql.quote(name)} limit 1`)) used.push(name);
  }
  return used;
}

export async function isReadIn(q: Query, digest: string): Promise<boolean> {
  return (await q.get(sql`select 1 as one from hub_imports where digest = ${digest}`)) !== undefined;
}

/**
 * Puts the parts of a dump in place of what a fresh hub has, in the caller's transaction. Rows that refer to each other
 * come in any order: the references are checked when all are there. Brings its events along and adds none: the log
 * stays the one that the audit is anchored in.
 */
export async function loadAll(tx: Tx, parts: Iterable<DumpPart>, digest: string): Promise<number> {
  const known = new Map((await carriedTables(tx, 'sessions')).map((table) => [table.name, table]));
  const restore = await tx.dialect.schema.suspendReferences(tx);
  for (const { name } of known.values()) await tx.run(sql`delete from ${sql.quote(name)}`);
  let rows = 0;
  let table: Table | undefined;
  let waiting: Param[][] = [];
  const flush = async (most: number) => {
    while (table && waiting.length >= most && waiting.length > 0)
      await insert(tx, table, waiting.splice(0, most));
  };
  for (const part of parts) {
    if ('table' in part) {
      await flush(AT_ONCE);
      await flush(1);
      table = sameTable(known, part);
      continue;
    }
    waiting.push(part.map(valueOf));
    rows += 1;
    await flush(AT_ONCE);
  }
  await flush(AT_ONCE);
  await flush(1);
  await restore();
  await tx.run(
    sql`insert into hub_imports (digest, rows, at) values (${digest}, ${rows}, ${tx.now}) on conflict do nothing`,
  );
  waiting = [];
  return rows;
}

function sameTable(
  known: ReadonlyMap<string, Table>,
  { table, columns }: { table: string; columns: readonly string[] },
): Table {
  const here = known.get(table);
  if (here && String(here.columns) === String(columns)) return here;
  throw new HubError(
    'conflict',
    `The file has a table ${JSON.stringify(table.slice(0, 64))} this hub does not know.`,
    { hint: 'It was written by another version of Holdfast; export it again with this one.' },
  );
}

function valueOf(cell: Cell): Param {
  return cell !== null && typeof cell === 'object' ? Buffer.from(cell.bytes, 'base64') : cell;
}

async function insert(tx: Tx, { name, columns }: Table, rows: readonly Param[][]): Promise<void> {
  const { ownColumns, withNumbers } = tx.dialect.schema;
  const own = Object.entries(ownColumns[name] ?? {});
  const blanks = own.map(([, blank]) => blank);
  const values = rows.map((row) =>
    blanks.length === 0
      ? sql.tuple(row)
      : sql`(${sql.join([...row.map((value) => sql`${value}`), ...blanks], ', ')})`,
  );
  await tx.run(sql`
    insert into ${sql.quote(name)} (${list([...columns, ...own.map(([field]) => field)])})
    ${withNumbers}
    values ${sql.join(values, ', ')}`);
}
