// What agents stored with the note tool, as a caller may see it.
import { redact } from '../../kernel/redact.ts';
import type { Behind } from '../../operation/faces.ts';
import type { Acting, Caller } from '../../store/calls.ts';
import type { Query } from '../../store/database.ts';
import { toolCallerOf } from '../broker/broker.ts';
import { listNotes, type Note } from './note-rows.ts';

export interface NoteView {
  /** Newest first; a caller that is bound to a team sees its own. */
  list(page: Readonly<{ limit?: number | undefined; cursor?: string | undefined }>): Promise<NotePage>;
}

type NotePage = Readonly<{ notes: Note[]; nextCursor: string | null }>;

const notesAt = (q: Query, { who }: Pick<Caller, 'who'>): NoteView => ({
  async list({ limit = 100, cursor }) {
    const of = who.bound.team === undefined ? undefined : toolCallerOf(who);
    const rows = await listNotes(q, { before: cursor ?? null, limit: limit + 1, of });
    const notes = rows.slice(0, limit).map((row) => ({ ...row, note: redact(row.note) }));
    return { notes, nextCursor: rows.length > limit ? notes.at(-1)!.id : null };
  },
});

export function behindNotes(acting: Acting): Behind<NoteView, undefined, undefined> {
  return { tag: 'tools', acting, look: notesAt, change: () => undefined, service: undefined };
}
