import type { Event } from '../../kernel/event.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Caller } from '../../store/acting.ts';
import type { Query, Tx } from '../../store/database.ts';
import { eventsAbout } from '../../store/events.ts';
import { mayKnowFence, teamFilter } from './rules.ts';
import { decodeCursor, encodeCursor } from './cursor.ts';
import { notFound } from './refusals.ts';
import type { Renewals } from './renewals.ts';
import { countComments, listComments } from './rows/comments.ts';
import { listDependencies, listDependents } from './rows/dependencies.ts';
import { listChecks } from './rows/evidence.ts';
import { countTasks, listTasks, type TaskFilter } from './rows/lists.ts';
import type { Narrowing } from './rows/narrowing.ts';
import { findTask, listAncestors, listChildren, lockTask } from './rows/tasks.ts';
import {
  presentTask,
  type Comment,
  type Status,
  type StoredTask,
  type Task,
  type TaskDetail,
  type TaskPage,
} from './task.ts';

/** A caller bound to a team sees that team's tasks; for it nothing else exists. */
export function canSee(who: Principal, task: Pick<StoredTask, 'teamId'>): boolean {
  return who.bound.team === undefined || who.bound.team === task.teamId;
}

export async function requireTask(q: Query, who: Principal, id: string): Promise<StoredTask> {
  return visible(who, id, await findTask(q, id));
}

/** Held against other writers until the unit ends, so that what was judged is still true when it is changed. */
export async function requireLocked(tx: Tx, who: Principal, id: string): Promise<StoredTask> {
  return visible(who, id, await lockTask(tx, id));
}

function visible(who: Principal, id: string, task: StoredTask | undefined): StoredTask {
  if (!task || !canSee(who, task)) throw notFound(id);
  return task;
}

/** A lease counts from the holder's last sign of life, also from one not written yet. */
export function withSigns(task: StoredTask, renewals: Renewals): StoredTask {
  if (task.leaseUntil === null) return task;
  const renewed = renewals.leaseOf(task);
  return renewed !== undefined && renewed > task.leaseUntil ? { ...task, leaseUntil: renewed } : task;
}

export type ListRequest = Narrowing &
  Readonly<{
    teamId?: string | undefined;
    status?: Status | undefined;
    assigneeAgentId?: string | undefined;
    parentTaskId?: string | undefined;
    ready?: boolean | undefined;
    /** With teamId: what belongs to no team, too. */
    orNone?: boolean | undefined;
    /** Every team's, not only the caller's project. */
    all?: boolean | undefined;
    limit: number;
    cursor?: string | undefined;
  }>;

export async function listPage(
  q: Query,
  caller: Caller,
  request: ListRequest,
  now: number,
): Promise<TaskPage> {
  const { limit, cursor, ready, all, ...given } = request;
  const named = all || request.orNone ? { teamId: given.teamId, orNone: request.orNone } : undefined;
  const wanted = {
    ...given,
    ...(caller.who.bound.team === undefined && named ? named : teamFilter(caller, given.teamId)),
  };
  const key = { ...wanted, ready: ready === true };
  const filter: TaskFilter = { ...wanted, ...(ready === true ? { claimableAt: now } : {}) };
  const after = cursor === undefined ? undefined : decodeCursor(cursor, key);
  const found = await listTasks(q, filter, { after, limit: limit + 1 });
  const total = await countTasks(q, filter);
  const shown = found.slice(0, limit);
  const last = shown.at(-1);
  return {
    tasks: shown.map(({ seat, ...task }) => ({
      ...task,
      fence: mayKnowFence({ ...task, seat }, caller) ? task.fence : null,
    })),
    total,
    ...(last && found.length > limit ? { nextCursor: encodeCursor(last, key) } : {}),
  };
}

export async function readComments(
  q: Query,
  who: Principal,
  taskId: string,
  page: Readonly<{ before?: string | undefined; limit: number }>,
): Promise<Comment[]> {
  await requireTask(q, who, taskId);
  return listComments(q, taskId, page);
}

/** From the event log, oldest first. */
export async function readHistory(
  q: Query,
  who: Principal,
  taskId: string,
  page: Readonly<{ after: number; limit: number }>,
): Promise<Event[]> {
  await requireTask(q, who, taskId);
  return eventsAbout(q, taskId, page);
}

/** A task as its caller may see it. */
export async function shown(caller: Caller, work: Promise<StoredTask>): Promise<Task> {
  const task = await work;
  return presentTask(task, mayKnowFence(task, caller));
}

/** Most relatives shown of each sort. */
const RELATIVES = 1_000;

export async function readDetail(
  q: Query,
  caller: Caller,
  stored: StoredTask,
  commentLimit: number,
): Promise<TaskDetail> {
  return {
    task: presentTask(stored, mayKnowFence(stored, caller)),
    comments: await listComments(q, stored.id, { limit: commentLimit }),
    commentsTotal: await countComments(q, stored.id),
    ancestors: await listAncestors(q, stored),
    dependencies: await listDependencies(q, stored.id, RELATIVES),
    dependents: await listDependents(q, stored.id, RELATIVES),
    children: await listChildren(q, stored.id, RELATIVES),
    checks: await listChecks(q, stored),
  };
}
