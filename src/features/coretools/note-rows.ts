import type { Query } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';
import { number, type RecordOf, table, text, textOrNull } from '../../store/table.ts';

const notes = table('tool_notes', {
  id: text(),
  note: text(),
  agentId: textOrNull(),
  teamId: textOrNull(),
  createdAt: number(),
});
const shown = notes.only('id', 'note', 'agentId', 'createdAt');
export type Note = Readonly<RecordOf<typeof shown.fields>>;

/** Whose it is: names are told apart by their team. */
export type NoteOwner = Readonly<{ agentId: string | null; teamId: string | null }>;

export const insertNote = notes.insert;

/** `of`: the only one whose notes are shown; everybody's without it. */
export async function listNotes(
  q: Query,
  page: Readonly<{ before: string | null; limit: number; of: NoteOwner | undefined }>,
): Promise<Note[]> {
  const { of } = page;
  const own = of && sql`and ${isOrNull('agent_id', of.agentId)} and ${isOrNull('team_id', of.teamId)}`;
  return shown.list(
    q,
    sql`
    where (cast(${page.before} as text) is null or id < ${page.before})
      ${own ?? sql.empty}
    order by id desc
    limit ${page.limit}`,
  );
}

function isOrNull(column: 'agent_id' | 'team_id', value: string | null) {
  return value === null ? sql`${sql.raw(column)} is null` : sql`${sql.raw(column)} = ${value}`;
}
