import { countRows } from '../../../store/count.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { number, table, text } from '../../../store/table.ts';

const views = table('board_views', { name: text(), search: text(), savedAt: number() });

export function listViews(q: Query) {
  return views.all(q, sql`select ${views.columns} from board_views order by name`);
}

export function countViews(q: Query): Promise<number> {
  return countRows(q, sql`select count(*) as count from board_views`);
}

export async function putView(
  tx: Tx,
  view: Readonly<{ name: string; search: string; savedAt: number }>,
): Promise<void> {
  await tx.run(sql`
    insert into board_views (${views.columns})
    values ${sql.tuple(views.params(view))}
    on conflict (name) do update set search = excluded.search, saved_at = excluded.saved_at`);
}

export async function deleteView(tx: Tx, name: string): Promise<boolean> {
  return (await tx.run(sql`delete from board_views where name = ${name}`)) > 0;
}
