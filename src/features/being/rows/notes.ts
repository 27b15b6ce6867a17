import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

export type NoteRow = Readonly<{
  id: string;
  kind: 'scene' | 'note';
  /** `failed`: a scene that no patrol could read. */
  state: 'open' | 'failed';
  content: string;
  created_at: number;
  updated_at: number;
}>;

const COLUMNS = sql.raw('id, kind, state, content, created_at, updated_at');

type NewNote = Pick<NoteRow, 'id' | 'kind' | 'content'> &
  Partial<Pick<NoteRow, 'state' | 'created_at' | 'updated_at'>>;

export async function insertNote(tx: Tx, being: string, note: NewNote): Promise<void> {
  await tx.run(sql`
    insert into being_notes (being_id, id, kind, state, content, created_at, updated_at)
    values (
      ${being}, ${note.id}, ${note.kind}, ${note.state ?? 'open'}, ${note.content},
      ${note.created_at ?? tx.now}, ${note.updated_at ?? tx.now}
    )`);
}

export function noteById(q: Query, being: string, id: string): Promise<NoteRow | undefined> {
  return q.get<NoteRow>(sql`
    select ${COLUMNS}
    from being_notes
    where being_id = ${being} and id = ${id}`);
}

/** Newest first. */
export function latestNotes(q: Query, being: string, limit: number): Promise<NoteRow[]> {
  return q.all<NoteRow>(sql`
    select ${COLUMNS}
    from being_notes
    where being_id = ${being}
    order by id desc
    limit ${limit}`);
}

export function allNotes(q: Query, being: string): Promise<NoteRow[]> {
  return q.all<NoteRow>(sql`
    select ${COLUMNS}
    from being_notes
    where being_id = ${being}
    order by id`);
}

/** Oldest first: the order in which they become memories. */
export function waitingScenes(q: Query, being: string, limit: number): Promise<NoteRow[]> {
  return q.all<NoteRow>(sql`
    select ${COLUMNS}
    from being_notes
    where being_id = ${being} and kind = 'scene' and state = 'open'
    order by id
    limit ${limit}`);
}

export async function countWaitingScenes(q: Query, being: string): Promise<number> {
  const row = await q.get<{ count: number }>(sql`
    select count(*) as count
    from being_notes
    where being_id = ${being} and kind = 'scene' and state = 'open'`);
  return row!.count;
}

export async function markFailed(tx: Tx, being: string, id: string): Promise<void> {
  await tx.run(sql`
    update being_notes
    set state = 'failed', updated_at = ${tx.now}
    where being_id = ${being} and id = ${id}`);
}

/** A scene whose text was repaired waits for the next patrol again. */
export function setNote(tx: Tx, being: string, id: string, content: string): Promise<number> {
  return tx.run(sql`
    update being_notes
    set content = ${content}, state = 'open', updated_at = ${tx.now}
    where being_id = ${being} and id = ${id}`);
}

export function deleteNote(tx: Tx, being: string, id: string, kind?: 'scene'): Promise<number> {
  return tx.run(sql`
    delete from being_notes
    where being_id = ${being} and id = ${id}
      ${kind === undefined ? sql.empty : sql`and kind = ${kind}`}`);
}
