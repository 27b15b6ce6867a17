// SQL of who was briefed when, and of when somebody was last here.
import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';
import { number, type RecordOf, table, text } from '../../store/table.ts';

/** `key`: a digest of the connection, credential or session that was told. */
const briefings = table('briefings', { key: text(), team: text(), agent: text(), at: number() });
export type Briefed = Readonly<RecordOf<typeof briefings.fields>>;

export const briefedAt = async (q: Query, key: string): Promise<number | undefined> =>
  (await briefings.find(q, sql`where key = ${key}`))?.at;

export const noteBriefed = (tx: Tx, row: Briefed): Promise<void> => briefings.put(tx, row, ['key']);

/** Somebody who was told has gone on working until now. */
export const noteSeen = (tx: Tx, key: string): Promise<number> =>
  briefings.update(tx, { at: tx.now }, sql`where key = ${key}`);

export const dropBriefedBefore = (tx: Tx, before: number): Promise<number> =>
  briefings.delete(tx, sql`where at < ${before}`);

/** When one of these was last told something, but for under this key: being here now is not having been here. */
export async function lastTold(
  q: Query,
  { team, agents, key }: Readonly<{ team: string; agents: readonly string[]; key: string }>,
): Promise<number | undefined> {
  const told = await q.get<{ at: number | null }>(sql`
    select max(at) as at
    from briefings
    where team = ${team} and agent in ${sql.in(agents)} and key <> ${key}`);
  return told?.at ?? undefined;
}
