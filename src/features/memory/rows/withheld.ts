// SQL of what a person has forgotten and may still take back. Nothing but `../withheld.ts` reads this table.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { json, named, number, type RecordOf, type StoredRow, table, text } from '../../../store/table.ts';

/** `entry`: the row as it was, of a fact with those of its earlier versions, newest first. */
const withheld = table('memory_withheld', {
  id: text(),
  scope: named('scope_no', number()),
  kind: text<'fact' | 'procedure'>(),
  entry: json<StoredRow | readonly StoredRow[]>(),
  at: number(),
  until: number(),
});
const notes = withheld.only('id', 'kind', 'at', 'until');

export type WithheldRow = Readonly<RecordOf<typeof withheld.fields>>;
export type WithheldNote = Readonly<RecordOf<typeof notes.fields>>;

export const withholdRow = (tx: Tx, row: WithheldRow): Promise<void> => withheld.insert(tx, row);

export function withheldRow(q: Query, id: string): Promise<WithheldRow | undefined> {
  return withheld.find(q, sql`where id = ${id}`);
}

/** Without what they say: ids and times alone. */
export function listWithheld(q: Query, now: number): Promise<WithheldNote[]> {
  return notes.list(q, sql`where until > ${now} order by at desc, id limit 200`);
}

export function dueRows(q: Query, now: number, most: number): Promise<WithheldRow[]> {
  return withheld.list(q, sql`where until <= ${now} order by until limit ${most}`);
}

export async function dropWithheld(tx: Tx, id: string): Promise<void> {
  await withheld.delete(tx, sql`where id = ${id}`);
}

export async function moveWithheld(
  tx: Tx,
  { from, into }: Readonly<{ from: number; into: number }>,
): Promise<void> {
  await withheld.update(tx, { scope: into }, sql`where scope_no = ${from}`);
}
