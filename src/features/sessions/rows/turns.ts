// SQL of turns. Rows and their words change together.
import { innerWords } from '../../../recall/recall.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { indexedTurns, type TurnRow, turnRows } from './tables.ts';

export function turnsByKey(q: Query, keys: readonly string[]): Promise<TurnRow[]> {
  return turnRows.list(q, sql`where key ${q.dialect.isOneOfTexts(keys)}`);
}

const AT_ONCE = 200;

/** Numbers are given out under a lock: newer turns have higher ones, which is the order of every search. */
export async function insertTurns(tx: Tx, turns: readonly Omit<TurnRow, 'no'>[]): Promise<void> {
  if (turns.length === 0) return;
  await tx.lock('transcripts');
  const last = await tx.get<{ no: number | null }>(sql`select max(no) as no from transcript_turns`);
  const numbered = turns.map((turn, i) => ({ no: (last?.no ?? 0) + 1 + i, ...turn, parts: partsOf(turn) }));
  for (let i = 0; i < numbered.length; i += AT_ONCE) {
    await tx.run(sql`insert into transcript_turns ${indexedTurns.values(...numbered.slice(i, i + AT_ONCE))}`);
  }
  await tx.dialect.turnWords.add(
    tx,
    numbered.map(({ no }) => no),
  );
}

/** What the words of the engine do not tell of its names. */
const partsOf = ({ text, args }: Pick<TurnRow, 'text' | 'args'>): string =>
  innerWords(`${text}\n${args ?? ''}`);

/** One that has grown since it was read. */
export async function replaceTurn(tx: Tx, turn: TurnRow): Promise<void> {
  await tx.dialect.turnWords.remove(tx, [turn.no]);
  const { no, session: _, turn: __, key: ___, ...change } = turn;
  await indexedTurns.update(tx, { ...change, parts: partsOf(turn) }, sql`where no = ${no}`);
  await tx.dialect.turnWords.add(tx, [no]);
}

export function turnsOf(
  q: Query,
  session: string,
  { from, most }: Readonly<{ from: number; most: number }>,
): Promise<TurnRow[]> {
  return turnRows.list(q, sql`where session = ${session} and turn >= ${from} order by turn limit ${most}`);
}

/** So many turns of a session that nothing else waits for long. */
export async function dropTurns(tx: Tx, session: string, most: number): Promise<number> {
  const rows = await tx.all<{ no: number }>(
    sql`select no from transcript_turns where session = ${session} order by turn desc limit ${most}`,
  );
  if (rows.length === 0) return 0;
  const numbers = rows.map(({ no }) => no);
  await tx.dialect.turnWords.remove(tx, numbers);
  return turnRows.delete(tx, sql`where no ${tx.dialect.isOneOf(numbers)}`);
}

/** For turns that came from another database: the next page of words; undefined after the last one. */
export async function refillTurns(tx: Tx, after: number, most: number): Promise<number | undefined> {
  const rows = await tx.all<{ no: number }>(
    sql`select no from transcript_turns where no > ${after} order by no limit ${most}`,
  );
  if (rows.length > 0)
    await tx.dialect.turnWords.add(
      tx,
      rows.map(({ no }) => no),
    );
  return rows.at(-1)?.no;
}

/** Marks changed: the words of all turns of a session are indexed again, so many at a time. */
export async function remark(
  tx: Tx,
  session: string,
  { add, after, most }: Readonly<{ add: string; after: number; most: number }>,
): Promise<number | undefined> {
  const rows = await tx.all<{ no: number; turn: number }>(
    sql`select no, turn from transcript_turns where session = ${session} and turn > ${after} order by turn limit ${most}`,
  );
  if (rows.length === 0) return undefined;
  const numbers = rows.map(({ no }) => no);
  await tx.dialect.turnWords.remove(tx, numbers);
  await tx.run(
    sql`update transcript_turns set marks = marks || ${` ${add}`} where no ${tx.dialect.isOneOf(numbers)}`,
  );
  await tx.dialect.turnWords.add(tx, numbers);
  return rows.at(-1)!.turn;
}
