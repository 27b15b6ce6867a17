// SQL of the vectors. Only items that still hold get one.
import { countByWord, countRows } from '../../store/count.ts';
import type { Query, Tx } from '../../store/database.ts';
import { sql, type Sql } from '../../store/sql.ts';
import { bytes, number, type RecordOf, table, text } from '../../store/table.ts';

const vectors = table('recall_vectors', {
  no: number(),
  model: text(),
  dims: number(),
  embedding: bytes(),
  addedAt: number(),
});
const dated = vectors.only('no', 'embedding', 'addedAt');
const bare = vectors.only('no', 'embedding');
export type VectorRow = RecordOf<typeof bare.fields>;

export type StoredVector = Readonly<{ number: number; vector: Float32Array }>;

export function toVector({ no, embedding }: VectorRow): StoredVector {
  const { buffer, byteOffset, byteLength } = embedding;
  const isAligned = byteOffset % 4 === 0;
  const bytes = isAligned ? buffer : embedding.slice().buffer;
  return { number: no, vector: new Float32Array(bytes, isAligned ? byteOffset : 0, byteLength / 4) };
}

/** Everything of one model and dimension that was added at or after that moment, in pages by number. */
export async function vectorsSince(
  q: Query,
  { model, dims }: Readonly<{ model: string; dims: number }>,
  { since, after, limit }: Readonly<{ since: number; after: number; limit: number }>,
): Promise<(StoredVector & Readonly<{ addedAt: number }>)[]> {
  const fresh: Sql = since === 0 ? sql.empty : sql`and added_at >= ${since}`;
  const rows = await dated.list(
    q,
    sql`
    where model = ${model}
      and dims = ${dims}
      ${fresh}
      and no > ${after}
    order by no
    limit ${limit}`,
  );
  return rows.map((row) => ({ ...toVector(row), addedAt: row.addedAt }));
}

export async function vectorsByNumber(
  q: Query,
  model: string,
  numbers: readonly number[],
): Promise<StoredVector[]> {
  const rows = await bare.list(q, sql`where model = ${model} and no ${q.dialect.isOneOf(numbers)}`);
  return rows.map(toVector);
}

/** A condition on items of others, for `where`: none of them has a vector of this model. `no`: their column of numbers. */
export function hasNoVector(model: string, no: string): Sql {
  return sql`not exists (
      select 1
      from recall_vectors
      where recall_vectors.model = ${model} and recall_vectors.no = ${sql.raw(no)}
    )`;
}

/** The dimension of a model's first vector, which those that count share. */
export async function firstDims(q: Query, model: string): Promise<number | undefined> {
  return (await vectors.only('dims').find(q, sql`where model = ${model} order by no limit 1`))?.dims;
}

/** Only for items that still hold: what was forgotten or replaced while it was embedded stays so. */
export async function putVector(tx: Tx, model: string, { number, vector }: StoredVector): Promise<void> {
  const embedding = new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength);
  await tx.run(sql`
    insert into recall_vectors (${vectors.columns})
    select no, ${model}, ${vector.length}, ${embedding}, ${tx.now}
    from recall_items
    where no = ${number} and is_past = 0
    on conflict (model, no) do update
    set ${vectors.overwriteBut(['no', 'model'])}`);
}

export async function markPending(tx: Tx, number: number): Promise<void> {
  await tx.run(sql`
    insert into recall_pending (no)
    values (${number})
    on conflict (no) do nothing`);
}

/** What no longer holds is found by its words alone. */
export async function dropVectors(tx: Tx, number: number): Promise<void> {
  await vectors.delete(tx, sql`where no = ${number}`);
  await tx.run(sql`
    delete from recall_pending
    where no = ${number}`);
}

/** Everything that has no vector of this model yet, or one of another dimension than the model has now. */
export async function markAllMissing(tx: Tx, model: string, dims: number | undefined): Promise<number> {
  return tx.run(sql`
    insert into recall_pending (no)
    select no
    from recall_items
    where is_past = 0
      and not exists (
      select 1
      from recall_vectors
      where recall_vectors.model = ${model}
        and recall_vectors.no = recall_items.no
        ${dims === undefined ? sql.empty : sql`and recall_vectors.dims = ${dims}`}
    )
    on conflict (no) do nothing`);
}

export async function pendingNumbers(q: Query, limit: number, maxAttempts: number): Promise<number[]> {
  const rows = await q.all<{ no: number }>(sql`
    select no
    from recall_pending
    where attempts < ${maxAttempts}
    order by attempts, no
    limit ${limit}`);
  return rows.map((row) => row.no);
}

export async function clearPending(tx: Tx, numbers: readonly number[]): Promise<void> {
  await tx.run(sql`
    delete from recall_pending
    where no in ${sql.in(numbers)}`);
}

export async function countAttempt(tx: Tx, numbers: readonly number[]): Promise<void> {
  await tx.run(sql`
    update recall_pending
    set attempts = attempts + 1
    where no in ${sql.in(numbers)}`);
}

export async function countVectors(
  q: Query,
): Promise<Readonly<{ models: Readonly<Record<string, number>>; pending: number }>> {
  const models = await countByWord(
    q,
    sql`select model as word, count(*) as count from recall_vectors group by model order by model`,
  );
  const pending = await countRows(q, sql`select count(*) as count from recall_pending`);
  return { models, pending };
}
