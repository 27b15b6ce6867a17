import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';

export type Trashed = Readonly<{
  id: string;
  workspace: string;
  originalPath: string;
  trashPath: string;
  deletedAt: number;
  deletedBy: string;
  restoredAt: number | null;
}>;

export async function insertTrash(tx: Tx, row: Trashed): Promise<void> {
  await tx.run(sql`
    insert into tool_trash (id, workspace, original_path, trash_path, deleted_at, deleted_by)
    values (${row.id}, ${row.workspace}, ${row.originalPath}, ${row.trashPath}, ${row.deletedAt}, ${row.deletedBy})`);
}

export async function trashById(q: Query, id: string): Promise<Trashed | undefined> {
  return q.get<Trashed>(sql`
    select id, workspace, original_path as "originalPath", trash_path as "trashPath", deleted_at as "deletedAt",
      deleted_by as "deletedBy", restored_at as "restoredAt"
    from tool_trash
    where id = ${id}`);
}

export async function markRestored(tx: Tx, id: string): Promise<void> {
  await tx.run(sql`update tool_trash set restored_at = ${tx.now} where id = ${id}`);
}
