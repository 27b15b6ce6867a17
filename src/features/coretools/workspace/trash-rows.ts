import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { number, numberOrNull, type RecordOf, table, text } from '../../../store/table.ts';

const trash = table('tool_trash', {
  id: text(),
  workspace: text(),
  originalPath: text(),
  trashPath: text(),
  deletedAt: number(),
  deletedBy: text(),
  restoredAt: numberOrNull(),
});
export type Trashed = Readonly<RecordOf<typeof trash.fields>>;

export const insertTrash = trash.insert;

export async function trashById(q: Query, id: string): Promise<Trashed | undefined> {
  return trash.find(q, sql`where id = ${id}`);
}

export async function markRestored(tx: Tx, id: string): Promise<void> {
  await trash.update(tx, { restoredAt: tx.now }, sql`where id = ${id}`);
}
