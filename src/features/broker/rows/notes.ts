import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export type Note = Readonly<{ id: string; note: string; agentId: string | null; createdAt: number }>;

export async function insertNote(tx: Tx, note: Note): Promise<void> {
  await tx.run(sql`
    insert into tool_notes (id, note, agent_id, created_at)
    values (${note.id}, ${note.note}, ${note.agentId}, ${note.createdAt})`);
}

/** `agentId`: the only one whose notes are shown; null shows those that name nobody. */
export async function listNotes(
  q: Query,
  page: { before: string | null; limit: number; agentId: string | null | undefined },
): Promise<Note[]> {
  const { agentId } = page;
  const own = agentId === null ? sql`and agent_id is null` : sql`and agent_id = ${agentId ?? ''}`;
  return q.all<Note>(sql`
    select id, note, agent_id as "agentId", created_at as "createdAt"
    from tool_notes
    where (cast(${page.before} as text) is null or id < ${page.before})
      ${agentId === undefined ? sql.empty : own}
    order by id desc
    limit ${page.limit}`);
}
