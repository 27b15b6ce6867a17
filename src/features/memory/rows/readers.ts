// SQL of who was given what, and of who has still to hear that it was refuted.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { number, type RecordOf, table, text } from '../../../store/table.ts';

/** `reader`: a digest of who it was. */
const given = table('memory_given', { item: text(), reader: text(), at: number() });
export type GivenRow = Readonly<RecordOf<typeof given.fields>>;

const tidings = table('memory_tidings', { reader: text(), item: text(), readAt: number(), at: number() });
export type TidingRow = Readonly<RecordOf<typeof tidings.fields>>;

export const noteGiven = (tx: Tx, row: GivenRow): Promise<void> => given.put(tx, row, ['item', 'reader']);

export function readersOf(q: Query, item: string, since: number): Promise<GivenRow[]> {
  return given.list(q, sql`where item = ${item} and at >= ${since} order by reader`);
}

export const addTiding = (tx: Tx, row: TidingRow): Promise<void> => tidings.put(tx, row, ['reader', 'item']);

export function tidingsFor(q: Query, reader: string, most: number): Promise<TidingRow[]> {
  return tidings.list(q, sql`where reader = ${reader} order by at, item limit ${most}`);
}

export async function hasTidings(q: Query): Promise<boolean> {
  return (await q.get(sql`select 1 as one from memory_tidings limit 1`)) !== undefined;
}

export async function dropTiding(
  tx: Tx,
  { reader, item }: Pick<TidingRow, 'reader' | 'item'>,
): Promise<void> {
  await tidings.delete(tx, sql`where reader = ${reader} and item = ${item}`);
}

/** What was forgotten was given to nobody. */
export async function forgetReaders(tx: Tx, item: string): Promise<void> {
  await given.delete(tx, sql`where item = ${item}`);
  await tidings.delete(tx, sql`where item = ${item}`);
}

export async function dropReadersBefore(tx: Tx, before: number): Promise<void> {
  await given.delete(tx, sql`where at < ${before}`);
  await tidings.delete(tx, sql`where at < ${before}`);
}

/** What was given to most readers since, and last where as many had it. */
export function givenMost(
  q: Query,
  { since, most }: Readonly<{ since: number; most: number }>,
): Promise<Readonly<{ item: string }>[]> {
  return q.all<{ item: string }>(sql`
    select item
    from memory_given
    where at >= ${since}
    group by item
    order by count(*) desc, max(at) desc, item
    limit ${most}`);
}
