// SQL of what is offered for memory. Every statement names the owner, as those of sessions do.
import type { Query, Tx } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import { flag, number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';
import type { Owner } from '../owner.ts';
import { type StoredSession, transcripts } from '../rows/tables.ts';
import { isSeen, type SessionSight } from '../rows/sessions.ts';
import type { LessonKind } from './lesson.ts';

const lessons = table('lessons', {
  id: text(),
  host: text(),
  owner: text(),
  session: text(),
  turn: number(),
  kind: text<LessonKind>(),
  title: text(),
  text: text(),
  digest: text(),
  state: text<'open' | 'accepted' | 'rejected'>(),
  isWorded: flag(),
  at: number(),
  decidedAt: numberOrNull(),
  fact: textOrNull(),
});
export type StoredLesson = Readonly<RecordOf<typeof lessons.fields>>;

const scans = table('lesson_scans', { session: text(), turns: number() });

const isOwn = ({ host, owner }: Owner): Sql => sql`lessons.host = ${host} and lessons.owner = ${owner}`;

/** What says the same as something that was offered before, whatever became of it, is not offered again: 0 then. */
export function offer(tx: Tx, lesson: StoredLesson): Promise<number> {
  return tx.run(
    sql`insert into lessons ${lessons.values(lesson)} on conflict (host, owner, digest) do nothing`,
  );
}

/** The session that changed last of those that were not looked through to their end. */
export function nextToScan(q: Query, own: Owner, since: number): Promise<StoredSession | undefined> {
  return transcripts.get(
    q,
    sql`
    select ${transcripts.columnsOf('session')}
    from transcripts as session
    left join lesson_scans on lesson_scans.session = session.id
    where session.host = ${own.host} and session.owner = ${own.owner} and session.ended_at > ${since}
      and session.turns > coalesce(lesson_scans.turns, 0)
    order by session.ended_at desc
    limit 1`,
  );
}

export async function scannedOf(q: Query, session: string): Promise<number> {
  return (await scans.find(q, sql`where session = ${session}`))?.turns ?? 0;
}

export const putScan = (tx: Tx, session: string, turns: number): Promise<void> =>
  scans.put(tx, { session, turns }, ['session']);

export type OfferedLesson = Readonly<{ lesson: StoredLesson; session: StoredSession }>;

/** What is open, the newest first, with the sessions it comes from. */
export async function openLessons(
  q: Query,
  own: Owner,
  { sight, most }: Readonly<{ sight: SessionSight; most: number }>,
): Promise<OfferedLesson[]> {
  const found = await lessons.all(
    q,
    sql`
    select ${lessons.columnsOf('lessons')}
    from lessons
    join transcripts as session on session.id = lessons.session
    where ${isOwn(own)} and lessons.state = 'open' and ${isSeen(sight, 'session')}
    order by lessons.at desc, lessons.id desc
    limit ${most}`,
  );
  const offered: OfferedLesson[] = [];
  for (const lesson of found) {
    const session = await transcripts.find(q, sql`where id = ${lesson.session}`);
    if (session) offered.push({ lesson, session });
  }
  return offered;
}

export const changeLesson = (
  tx: Tx,
  { id, host, owner }: Pick<StoredLesson, 'id' | 'host' | 'owner'>,
  change: Partial<StoredLesson>,
): Promise<number> =>
  lessons.update(tx, change, sql`where id = ${id} and ${isOwn({ host, owner })} and state = 'open'`);

/** A session that goes takes with it what is offered from it; what was decided stays a digest. */
export async function dropLessonsOf(tx: Tx, session: string): Promise<void> {
  await lessons.delete(tx, sql`where session = ${session} and state = 'open'`);
  await scans.delete(tx, sql`where session = ${session}`);
}

export async function adoptLessons(tx: Tx, own: Owner): Promise<void> {
  await lessons.update(tx, own, sql.empty);
}
