// SQL of who was given what, and of who has still to hear that it was refuted.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { number, type RecordOf, table, text } from '../../../store/table.ts';

/** `reader`: a digest of who it was, with a mark before it where it was told unasked, and another where that reader refuted it. */
const given = table('memory_given', { item: text(), reader: text(), at: number() });
export type GivenRow = Readonly<RecordOf<typeof given.fields>>;

const tidings = table('memory_tidings', { reader: text(), item: text(), readAt: number(), at: number() });
export type TidingRow = Readonly<RecordOf<typeof tidings.fields>>;

const BRIEFED = '~';
export const asBriefed = (reader: string): string => BRIEFED + reader;
export const withoutBriefed = (reader: string): string =>
  reader.startsWith(BRIEFED) ? reader.slice(BRIEFED.length) : reader;

const REFUTED = '!';
/** Leaves out who refuted it. */
export const wasGiven = sql`reader not like ${`${REFUTED}%`}`;

/** So many rows in one statement. */
const AT_ONCE = 50;

export async function noteGiven(tx: Tx, rows: readonly GivenRow[]): Promise<void> {
  for (let from = 0; from < rows.length; from += AT_ONCE)
    await given.put(tx, rows.slice(from, from + AT_ONCE), ['item', 'reader']);
}

export function readersOf(q: Query, item: string, since: number): Promise<GivenRow[]> {
  return given.list(q, sql`where item = ${item} and at >= ${since} and ${wasGiven} order by reader`);
}

/** Who refutes it needs not be told, also by a hub that writes only later down to whom it was shown. */
export const noteRefuter = (tx: Tx, row: GivenRow): Promise<void> =>
  given.put(tx, { ...row, reader: REFUTED + row.reader }, ['item', 'reader']);

export async function hasRefuted(
  q: Query,
  { item, reader }: Pick<GivenRow, 'item' | 'reader'>,
): Promise<boolean> {
  const found = await given.find(
    q,
    sql`where item = ${item} and reader = ${REFUTED + withoutBriefed(reader)}`,
  );
  return found !== undefined;
}

export const addTiding = (tx: Tx, row: TidingRow): Promise<void> => tidings.put(tx, row, ['reader', 'item']);

export const TIDINGS_AT_ONCE = 50;

/** What a reader has still to hear, oldest first, a page at a time. */
export function tidingsFor(
  q: Query,
  reader: string,
  after?: Pick<TidingRow, 'at' | 'item'>,
): Promise<TidingRow[]> {
  const { at, item } = after ?? { at: -1, item: '' };
  return tidings.list(
    q,
    sql`where reader = ${reader} and (at > ${at} or (at = ${at} and item > ${item}))
        order by at, item
        limit ${TIDINGS_AT_ONCE}`,
  );
}

export async function isTidingFor(q: Query, reader: string, item: string): Promise<boolean> {
  return (await tidings.find(q, sql`where reader = ${reader} and item = ${item}`)) !== undefined;
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

/** Who was given the one was given what says the same. */
export async function handOnReaders(tx: Tx, item: string, same: string): Promise<void> {
  const known = new Map((await readersOf(tx, same, 0)).map(({ reader, at }) => [reader, at]));
  const others = await readersOf(tx, item, 0);
  const newer = others.filter(({ reader, at }) => at > (known.get(reader) ?? -1));
  await noteGiven(
    tx,
    newer.map((row) => ({ ...row, item: same })),
  );
}

/** What was forgotten was given to nobody. */
export async function forgetReaders(tx: Tx, item: string): Promise<void> {
  await given.delete(tx, sql`where item = ${item}`);
  await tidings.delete(tx, sql`where item = ${item}`);
}

type Ends = Readonly<{ given: number; unheard: number }>;

export async function dropReadersBefore(tx: Tx, before: Ends): Promise<void> {
  await given.delete(tx, sql`where at < ${before.given}`);
  await tidings.delete(tx, sql`where at < ${before.unheard}`);
}

/** What most readers asked for since, and last where as many did. What a briefing tells counts for nothing: it would stay in it. */
export function givenMost(
  q: Query,
  { since, most }: Readonly<{ since: number; most: number }>,
): Promise<Readonly<{ item: string }>[]> {
  return q.all<{ item: string }>(sql`
    select item
    from memory_given
    where at >= ${since} and reader not like ${`${BRIEFED}%`} and ${wasGiven}
    group by item
    order by count(*) desc, max(at) desc, item
    limit ${most}`);
}
