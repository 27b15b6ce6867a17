import type { Query } from '../database.ts';
import { sql } from '../sql.ts';
import { isLeftOut, OF_ONE_ENGINE } from './kept.ts';

/** A table as both engines have it: what is carried of it, and what orders its rows. */
export type Table = Readonly<{ name: string; columns: readonly string[]; key: readonly string[] }>;

/** The tables that are carried, by name. */
export async function carriedTables(q: Query): Promise<Table[]> {
  const columns = await columnsOf(q);
  const keys = await keysOf(q);
  const names = [...new Set(columns.map(({ name }) => name))].filter((name) => !isLeftOut(name)).sort();
  return names.map((name) => {
    const own = columns.filter((column) => column.name === name).map(({ field }) => field);
    const carried = own.filter((field) => !OF_ONE_ENGINE[name]?.includes(field)).sort();
    const key = keys.filter((column) => column.name === name).map(({ field }) => field);
    return { name, columns: carried, key: key.length > 0 ? key : carried };
  });
}

type Column = { name: string; field: string };

async function columnsOf(q: Query): Promise<Column[]> {
  if (q.dialect.engine === 'postgres')
    return q.all<Column>(sql`
      select cast(c.relname as text) as name, cast(a.attname as text) as field
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid
      where n.nspname = current_schema() and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      order by c.relname, a.attnum`);
  return q.all<Column>(sql`
    select t.name as name, c.name as field
    from pragma_table_list t, pragma_table_info(t.name) c
    where t.schema = 'main' and t.type = 'table' and t.name not glob 'sqlite_*'
    order by t.name, c.cid`);
}

/** The primary key, or the first unique index where there is none. */
async function keysOf(q: Query): Promise<Column[]> {
  if (q.dialect.engine === 'postgres')
    return q.all<Column>(sql`
      select cast(c.relname as text) as name, cast(a.attname as text) as field
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join lateral (
        select indkey
        from pg_index i
        where i.indrelid = c.oid and i.indisunique and i.indpred is null
        order by i.indisprimary desc, i.indexrelid
        limit 1
      ) i on true
      join lateral unnest(i.indkey) with ordinality k (attnum, place) on true
      join pg_attribute a on a.attrelid = c.oid and a.attnum = k.attnum
      where n.nspname = current_schema() and c.relkind = 'r'
      order by c.relname, k.place`);
  const primary = await q.all<Column>(sql`
    select t.name as name, c.name as field
    from pragma_table_list t, pragma_table_info(t.name) c
    where t.schema = 'main' and t.type = 'table' and c.pk > 0
    order by t.name, c.pk`);
  const has = new Set(primary.map(({ name }) => name));
  const unique = await q.all<Column & { seq: number }>(sql`
    select t.name as name, i.seq as seq, c.name as field
    from pragma_table_list t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
    where t.schema = 'main' and t.type = 'table' and i."unique" = 1 and i.partial = 0
    order by t.name, i.seq desc, c.seqno`);
  const first = new Map<string, number>();
  for (const { name, seq } of unique) if (!has.has(name) && !first.has(name)) first.set(name, seq);
  return [...primary, ...unique.filter(({ name, seq }) => first.get(name) === seq)];
}
