import type { Query, Tx } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import { scopeOf } from '../../place.ts';
import { type StoredVector, toVector, type VectorRow } from '../rows.ts';
import { columnOf, isIterative, type NearTable, tableName } from './table.ts';

/** Whether this database has the extension, or its server could give it. */
export async function extensionState(q: Query): Promise<'absent' | 'available' | 'installed'> {
  if (!q.dialect.hasExtensions) return 'absent';
  const row = await q.get<{ installed_version: string | null }>(sql`
    select installed_version
    from pg_available_extensions
    where name = 'vector'`);
  if (!row) return 'absent';
  return row.installed_version === null ? 'available' : 'installed';
}

/** Where everybody who uses this database expects an extension; ours is not the only schema. */
export async function install(tx: Tx): Promise<void> {
  await tx.run(sql`create extension if not exists vector schema public`);
}

/** The table as it is or would be; undefined without the extension, or when it cannot index so many dimensions. */
export async function nearTable(
  q: Query,
  model: string,
  dims: number,
): Promise<Readonly<{ table: NearTable; isThere: boolean }> | undefined> {
  if (!q.dialect.hasExtensions) return undefined;
  const name = tableName(model, dims);
  const found = await q.get<{ schema: string; version: string; is_there: boolean }>(sql`
    select quote_ident(nspname) as schema, extversion as version, exists (
        select 1
        from pg_attribute
        where attrelid = to_regclass(${name}) and attname = 'embedding' and not attisdropped
      ) as is_there
    from pg_extension
    join pg_namespace on pg_namespace.oid = extnamespace
    where extname = 'vector'`);
  const column = found && columnOf(dims, found.version);
  if (!column) return undefined;
  return {
    table: {
      model,
      dims,
      column,
      name: sql.raw(name),
      schema: sql.raw(found.schema),
      isIterative: isIterative(found.version),
    },
    isThere: found.is_there,
  };
}

/**
 * Not a migration, because the extension may come later than the schema, and the column wants the model's dimension.
 * Made empty with its index, so that no statement takes long. What is dropped with the float row is dropped here too.
 */
export async function createTable(tx: Tx, { name, column, dims, schema }: NearTable): Promise<void> {
  await tx.run(sql`drop table if exists ${name}`);
  await tx.run(sql`
    create table ${name} (
      model text collate "C" not null,
      no bigint primary key,
      scope_no bigint not null,
      embedding ${schema}.${sql.raw(`${column}(${dims})`)} not null,
      foreign key (model, no) references recall_vectors (model, no) on delete cascade
    )`);
  await tx.run(sql`
    create index on ${name} (scope_no)`);
  await tx.run(sql`
    create index on ${name}
    using hnsw (embedding ${schema}.${sql.raw(`${column}_cosine_ops`)})`);
}

/** Only beside a float row, which is the truth. */
export async function putNear(tx: Tx, table: NearTable, { number, vector }: StoredVector): Promise<void> {
  await tx.run(sql`
    insert into ${table.name} (model, no, scope_no, embedding)
    select model, no, ${scopeOf(number)}, ${literal(table, vector)}
    from recall_vectors
    where model = ${table.model} and no = ${number}
    on conflict (no) do update
    set embedding = excluded.embedding`);
}

/** Float rows the table lacks, in pages by number. */
export async function missingNear(
  q: Query,
  table: NearTable,
  { after, limit }: Readonly<{ after: number; limit: number }>,
): Promise<StoredVector[]> {
  const rows = await q.all<VectorRow>(sql`
    select stored.no, stored.embedding
    from recall_vectors stored
    left join ${table.name} near on near.no = stored.no
    where stored.model = ${table.model}
      and stored.dims = ${table.dims}
      and stored.no > ${after}
      and near.no is null
    order by stored.no
    limit ${limit}`);
  return rows.map(toVector);
}

/** How many float rows were added at or after that moment, how many of them the table lacks, and when the last one came. */
export async function countNear(
  q: Query,
  table: NearTable,
  since: number,
): Promise<Readonly<{ stored: number; missing: number; newest: number | null }>> {
  const row = await q.get<{ stored: number; missing: number; newest: number | null }>(sql`
    select count(*) as stored, count(*) filter (where near.no is null) as missing, max(stored.added_at) as newest
    from recall_vectors stored
    left join ${table.name} near on near.no = stored.no
    where stored.model = ${table.model}
      and stored.dims = ${table.dims}
      and stored.added_at >= ${since}`);
  return row!;
}

type Asked = Readonly<{ vector: Float32Array; scopes: ReadonlySet<number> | undefined; limit: number }>;

/** The most pgvector lets a search keep in hand. */
const MOST_IN_HAND = 1_000;

/** By the index: quick, and possibly fewer than there are, because scopes are filtered while it is walked. */
export async function walkNear(
  q: Query,
  table: NearTable,
  { vector, scopes, limit }: Asked,
): Promise<number[]> {
  await q.get(sql`
    select set_config('hnsw.ef_search', ${String(Math.min(MOST_IN_HAND, limit))}, true)
      ${table.isIterative ? sql`, set_config('hnsw.iterative_scan', 'relaxed_order', true)` : sql.empty}`);
  const rows = await q.all<{ no: number }>(sql`
    select no
    from ${table.name}
    where ${isSeen(scopes)}
    order by embedding operator(${table.schema}.<=>) ${literal(table, vector)}
    limit ${limit}`);
  return rows.map((row) => row.no);
}

/** By looking at every vector of the scopes. */
export async function scanNear(
  q: Query,
  table: NearTable,
  { vector, scopes, limit }: Asked,
): Promise<number[]> {
  const rows = await q.all<{ no: number }>(sql`
    with seen as materialized (
      select no, embedding operator(${table.schema}.<=>) ${literal(table, vector)} as distance
      from ${table.name}
      where ${isSeen(scopes)}
    )
    select no
    from seen
    order by distance, no desc
    limit ${limit}`);
  return rows.map((row) => row.no);
}

/** A comparison with a list, not a join: a join could be planned so that the index is of no use. */
function isSeen(scopes: ReadonlySet<number> | undefined): Sql {
  return scopes === undefined
    ? sql`true`
    : sql`scope_no = any(cast(${`{${[...scopes].join(',')}}`} as bigint[]))`;
}

function literal({ schema, column, dims }: NearTable, vector: Float32Array): Sql {
  return sql`cast(cast(${JSON.stringify([...vector])} as text) as ${schema}.${sql.raw(`${column}(${dims})`)})`;
}
