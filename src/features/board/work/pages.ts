// What one reads of the board: lists, whole tasks, and what hangs on them.
import type { Event } from '../../../kernel/event.ts';
import { LIST_FLAGS } from '../../../kernel/query-fields.ts';
import { eventsAbout } from '../../../store/events.ts';
import { readStrictly } from '../../../store/query-terms.ts';
import { countComments, listComments } from '../rows/comments.ts';
import { listChecks, listEvidence } from '../rows/evidence.ts';
import { listAncestors, listChildren, listDependencies, listDependents } from '../rows/relatives.ts';
import {
  countTasks,
  findListed,
  listTasks,
  type ListPosition,
  openDependencies,
  positionOf,
  type TaskFilter,
} from '../rows/lists.ts';
import { mayKnowFence, teamFilter } from '../rules.ts';
import type { Comment, Evidence, TaskDetail } from '../detail.ts';
import type { ListRequest, StoredTask, TaskPage } from '../task.ts';
import type { BoardSight } from '../unit.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { requireTask, shownTo } from './find.ts';
import { notFound } from './refusals.ts';

/** Unless given. */
const PAGE = 100;
const TASKS = 50;

export async function listPage({ q, caller, now }: BoardSight, request: ListRequest): Promise<TaskPage> {
  const { limit = TASKS, cursor, after, ready, all, teamId, orNone, q: asked, ...given } = request;
  const wanted = { ...given, ...teamFilter(caller, { teamId, orNone, all }) };
  const key = { ...wanted, ready: ready === true, q: asked };
  const filter: TaskFilter = {
    ...wanted,
    ...(ready === true && { claimableAt: now }),
    ...(asked !== undefined && { asked: { query: readStrictly(asked, { flags: LIST_FLAGS }), now } }),
  };
  const position =
    cursor !== undefined
      ? decodeCursor(cursor, key)
      : after !== undefined
        ? await positionAfter({ q, caller }, after)
        : undefined;
  const found = await listTasks(q, filter, { after: position, limit: limit + 1 });
  const counted = await countTasks(q, filter);
  const shown = found.slice(0, limit);
  const waits = await openDependencies(
    q,
    shown.map(({ id }) => id),
  );
  const last = shown.at(-1);
  return {
    tasks: shown.map(({ seat, completedAt: _completedAt, ...task }) => ({
      ...task,
      fence: mayKnowFence({ ...task, seat }, caller) ? task.fence : null,
      ...(waits.has(task.id) && { waitsFor: [...waits.get(task.id)!] }),
    })),
    ...counted,
    ...(last && found.length > limit ? { nextCursor: encodeCursor(positionOf(last), key) } : {}),
  };
}

/** For people, who can type the end of a list but no cursor. */
async function positionAfter(
  { q, caller: { who } }: Pick<BoardSight, 'q' | 'caller'>,
  id: string,
): Promise<ListPosition> {
  const task = await findListed(q, id);
  if (!task || (who.bound.team !== undefined && who.bound.team !== task.teamId)) throw notFound(id);
  return positionOf(task);
}

export type OfTask = Readonly<{ taskId: string; limit?: number | undefined }>;

/** The newest, oldest first; `before` goes back. */
export async function readComments(
  sight: BoardSight,
  { taskId, before, limit = PAGE }: OfTask & Readonly<{ before?: string | undefined }>,
): Promise<Readonly<{ comments: Comment[]; nextBefore?: string }>> {
  await requireTask(sight, taskId);
  const found = await listComments(sight.q, taskId, { before, limit: limit + 1 });
  const comments = found.slice(-limit);
  return { comments, ...(found.length > limit && { nextBefore: comments[0]!.id }) };
}

type Told = Pick<Event, 'seq' | 'at' | 'kind' | 'actor' | 'data'>;

/** From the event log, oldest first. */
export async function readHistory(
  sight: BoardSight,
  { taskId, after = 0, limit = PAGE }: OfTask & Readonly<{ after?: number | undefined }>,
): Promise<Readonly<{ events: Told[]; nextAfter?: number }>> {
  await requireTask(sight, taskId);
  const found = await eventsAbout(sight.q, taskId, { after, limit: limit + 1 });
  const events = found
    .slice(0, limit)
    .map(({ seq, at, kind, actor, data }) => ({ seq, at, kind, actor, ...(data && { data }) }));
  return { events, ...(found.length > limit && { nextAfter: events.at(-1)!.seq }) };
}

/** Newest first. */
export async function readEvidence(sight: BoardSight, { taskId, limit = PAGE }: OfTask): Promise<Evidence[]> {
  return listEvidence(sight.q, await requireTask(sight, taskId), limit);
}

/** Most relatives shown of each sort. */
const RELATIVES = 1_000;

export async function readDetail(
  { q, caller }: BoardSight,
  stored: StoredTask,
  commentLimit: number,
): Promise<TaskDetail> {
  return {
    task: shownTo(caller, stored),
    comments: await listComments(q, stored.id, { limit: commentLimit }),
    commentsTotal: await countComments(q, stored.id),
    ancestors: await listAncestors(q, stored),
    dependencies: await listDependencies(q, stored.id, RELATIVES),
    dependents: await listDependents(q, stored.id, RELATIVES),
    children: await listChildren(q, stored.id, RELATIVES),
    checks: await listChecks(q, stored),
  };
}
