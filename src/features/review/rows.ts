// SQL of what is said and decided about changes.
import type { Query, Tx } from '../../store/database.ts';
import { sql } from '../../store/sql.ts';
import { flag, number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../store/table.ts';
import type { Side, Thread, ReviewVerdict } from './shapes.ts';

const threads = table('review_threads', {
  id: text(),
  /** The task, else the run. */
  subject: text(),
  path: text(),
  side: text<Side>(),
  fromLine: number(),
  toLine: number(),
  quoted: text(),
  head: text(),
  resolvedBy: textOrNull(),
  resolvedAt: numberOrNull(),
  createdAt: number(),
});
export type StoredThread = Readonly<RecordOf<typeof threads.fields>>;

const comments = table('review_comments', {
  id: text(),
  threadId: text(),
  author: text(),
  byPerson: flag(),
  body: text(),
  suggestion: textOrNull(),
  createdAt: number(),
});
export type StoredComment = Readonly<RecordOf<typeof comments.fields>>;

const verdicts = table('review_verdicts', {
  id: text(),
  subject: text(),
  verdict: text<ReviewVerdict['verdict']>(),
  author: text(),
  body: text(),
  head: text(),
  became: text(),
  createdAt: number(),
});
export type StoredVerdict = Readonly<RecordOf<typeof verdicts.fields>>;

/** No more are said about one change. */
export const MOST_THREADS = 500;
export const MOST_REPLIES = 200;
const MOST_VERDICTS = 50;

export const insertThread = (tx: Tx, thread: StoredThread): Promise<void> => threads.insert(tx, thread);
export const insertComment = (tx: Tx, comment: StoredComment): Promise<void> => comments.insert(tx, comment);
export const insertVerdict = (tx: Tx, verdict: StoredVerdict): Promise<void> => verdicts.insert(tx, verdict);

export const countThreads = (q: Query, subject: string): Promise<number> =>
  threads.count(q, sql`where subject = ${subject}`);

export const countReplies = (q: Query, threadId: string): Promise<number> =>
  comments.count(q, sql`where thread_id = ${threadId}`);

export const findThread = (q: Query, id: string): Promise<StoredThread | undefined> =>
  threads.find(q, sql`where id = ${id}`);

export async function resolveThread(
  tx: Tx,
  id: string,
  change: Pick<StoredThread, 'resolvedBy' | 'resolvedAt'>,
): Promise<void> {
  await threads.update(tx, change, sql`where id = ${id}`);
}

/** In the order they were begun, each with what was said. */
export async function threadsOf(q: Query, subject: string): Promise<Thread[]> {
  const found = await threads.list(q, sql`where subject = ${subject} order by id limit ${MOST_THREADS}`);
  if (found.length === 0) return [];
  const said = await comments.list(
    q,
    sql`where thread_id in (select id from review_threads where subject = ${subject}) order by id`,
  );
  const byThread = Map.groupBy(said, ({ threadId }) => threadId);
  return found.map((thread) => presentThread(thread, byThread.get(thread.id) ?? []));
}

export async function wholeThread(q: Query, thread: StoredThread): Promise<Thread> {
  return presentThread(thread, await comments.list(q, sql`where thread_id = ${thread.id} order by id`));
}

function presentThread(
  { subject: _s, head: _h, ...thread }: StoredThread,
  said: readonly StoredComment[],
): Thread {
  return { ...thread, comments: said.map(({ threadId: _t, ...comment }) => comment) };
}

/** The newest first. */
export async function verdictsOf(q: Query, subject: string): Promise<ReviewVerdict[]> {
  const found = await verdicts.list(
    q,
    sql`where subject = ${subject} order by id desc limit ${MOST_VERDICTS}`,
  );
  return found.map(({ subject: _s, head: _h, ...verdict }) => verdict);
}
