import type { SchemaReader, TableColumn } from '../../database.ts';
import { sql } from '../../sql.ts';

export const sqliteSchema: SchemaReader = {
  ownColumns: {},
  withNumbers: sql.empty,
  columns: (q) =>
    q.all(sql`
      select t.name as name, c.name as field
      from pragma_table_list t, pragma_table_info(t.name) c
      where t.schema = 'main' and t.type = 'table' and t.name not glob 'sqlite_*'
      order by t.name, c.cid`),
  async keys(q) {
    const primary = await q.all<TableColumn>(sql`
      select t.name as name, c.name as field
      from pragma_table_list t, pragma_table_info(t.name) c
      where t.schema = 'main' and t.type = 'table' and c.pk > 0
      order by t.name, c.pk`);
    const has = new Set(primary.map(({ name }) => name));
    const unique = await q.all<TableColumn & { seq: number }>(sql`
      select t.name as name, i.seq as seq, c.name as field
      from pragma_table_list t, pragma_index_list(t.name) i, pragma_index_info(i.name) c
      where t.schema = 'main' and t.type = 'table' and i."unique" = 1 and i.partial = 0
      order by t.name, i.seq desc, c.seqno`);
    const first = new Map<string, number>();
    for (const { name, seq } of unique) if (!has.has(name) && !first.has(name)) first.set(name, seq);
    return [...primary, ...unique.filter(({ name, seq }) => first.get(name) === seq)];
  },
  async suspendReferences(tx) {
    await tx.run(sql`pragma defer_foreign_keys = on`);
    return async () => undefined;
  },
};
