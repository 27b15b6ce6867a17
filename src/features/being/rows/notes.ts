import { sql } from '../../../store/sql.ts';
import { number, type RecordOf, text } from '../../../store/table.ts';
import { beingTable, type Held, type Seen } from './whose.ts';

const notes = beingTable('being_notes', {
  id: text(),
  kind: text<'scene' | 'note'>(),
  /** `failed`: a scene that no patrol could read. */
  state: text<'open' | 'failed'>(),
  content: text(),
  createdAt: number(),
  updatedAt: number(),
});
export type NoteRow = Readonly<RecordOf<typeof notes.fields>>;

type NewNote = Pick<NoteRow, 'id' | 'kind' | 'content'> & Partial<NoteRow>;

export function insertNote(self: Held, note: NewNote): Promise<void> {
  const { now } = self.tx;
  const { id, kind, content, state = 'open', createdAt = now, updatedAt = now } = note;
  return notes.insert(self, { id, kind, state, content, createdAt, updatedAt });
}

export function noteById(self: Seen, id: string): Promise<NoteRow | undefined> {
  return notes.one(self, sql`and id = ${id}`);
}

/** Newest first. */
export function latestNotes(self: Seen, limit: number): Promise<NoteRow[]> {
  return notes.all(self, sql`order by id desc limit ${limit}`);
}

export function allNotes(self: Seen): Promise<NoteRow[]> {
  return notes.all(self, sql`order by id`);
}

const WAITING = sql`and kind = 'scene' and state = 'open'`;

/** Oldest first: the order in which they become memories. */
export function waitingScenes(self: Seen, limit: number): Promise<NoteRow[]> {
  return notes.all(self, sql`${WAITING} order by id limit ${limit}`);
}

export function countWaitingScenes(self: Seen): Promise<number> {
  return notes.count(self, WAITING);
}

export async function markFailed(self: Held, id: string): Promise<void> {
  await notes.change(self, { state: 'failed', updatedAt: self.tx.now }, sql`and id = ${id}`);
}

/** A scene whose text was repaired waits for the next patrol again. */
export function setNote(self: Held, id: string, content: string): Promise<number> {
  return notes.change(self, { content, state: 'open', updatedAt: self.tx.now }, sql`and id = ${id}`);
}

export function deleteNote(self: Held, id: string, kind?: 'scene'): Promise<number> {
  return notes.remove(self, sql`and id = ${id} ${kind === undefined ? sql.empty : sql`and kind = ${kind}`}`);
}
