import type { SchemaReader, Tx } from '../../database.ts';
import { sql } from '../../sql.ts';

export const postgresSchema: SchemaReader = {
  ownColumns: { recall_items: { words: sql.raw("cast('' as tsvector)") } },
  withNumbers: sql.raw('overriding system value'),
  columns: (q) =>
    q.all(sql`
      select cast(c.relname as text) as name, cast(a.attname as text) as field
      from pg_class c
      join pg_namespace n on n.oid = c.relnamespace
      join pg_attribute a on a.attrelid = c.oid
      where n.nspname = current_schema() and c.relkind = 'r' and a.attnum > 0 and not a.attisdropped
      order by c.relname, a.attnum`),
  keys: (q) =>
    q.all(sql`
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
      order by c.relname, k.place`),
  async suspendReferences(tx) {
    const references = await tx.all<{ name: string; owner: string; text: string }>(sql`
      select cast(k.conname as text) as name, cast(c.relname as text) as owner, pg_get_constraintdef(k.oid) as text
      from pg_constraint k
      join pg_class c on c.oid = k.conrelid
      join pg_namespace n on n.oid = c.relnamespace
      where n.nspname = current_schema() and k.contype = 'f'
      order by c.relname, k.conname`);
    for (const { name, owner } of references)
      await tx.run(sql`alter table ${sql.quote(owner)} drop constraint ${sql.quote(name)}`);
    return async () => {
      for (const { name, owner, text } of references)
        await tx.run(sql`alter table ${sql.quote(owner)} add constraint ${sql.quote(name)} ${sql.raw(text)}`);
      await moveSequences(tx);
    };
  },
};

/** Numbers that the database hands out go on behind the ones that came along. */
async function moveSequences(tx: Tx): Promise<void> {
  const columns = await tx.all<{ owner: string; field: string }>(sql`
    select cast(c.relname as text) as owner, cast(a.attname as text) as field
    from pg_attribute a
    join pg_class c on c.oid = a.attrelid
    join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and a.attidentity <> '' and not a.attisdropped`);
  for (const { owner, field } of columns)
    await tx.get(sql`
      select setval(
        pg_get_serial_sequence(quote_ident(current_schema()) || '.' || quote_ident(${owner}), ${field}),
        coalesce((select max(${sql.quote(field)}) from ${sql.quote(owner)}), 0) + 1,
        false
      )`);
}
