import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';

export type Note = Readonly<{ id: string; note: string; agentId: string | null; createdAt: number }>;

/** Whose it is: names are told apart by their team. */
export type NoteOwner = Readonly<{ agentId: string | null; teamId: string | null }>;

export async function insertNote(tx: Tx, note: Note & NoteOwner): Promise<void> {
  await tx.run(sql`
    insert into tool_notes (id, note, agent_id, team_id, created_at)
    values (${note.id}, ${note.note}, ${note.agentId}, ${note.teamId}, ${note.createdAt})`);
}

/** `of`: the only one whose notes are shown; everybody's without it. */
export async function listNotes(
  q: Query,
  page: Readonly<{ before: string | null; limit: number; of: NoteOwner | undefined }>,
): Promise<Note[]> {
  const { of } = page;
  const own = of && sql`and ${isOrNull('agent_id', of.agentId)} and ${isOrNull('team_id', of.teamId)}`;
  return q.all<Note>(sql`
    select id, note, agent_id as "agentId", created_at as "createdAt"
    from tool_notes
    where (cast(${page.before} as text) is null or id < ${page.before})
      ${own ?? sql.empty}
    order by id desc
    limit ${page.limit}`);
}

function isOrNull(column: 'agent_id' | 'team_id', value: string | null) {
  return value === null ? sql`${sql.raw(column)} is null` : sql`${sql.raw(column)} = ${value}`;
}
