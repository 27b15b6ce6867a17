import { newId } from '../../kernel/ids.ts';
import { redact } from '../../kernel/redact.ts';
import type { Caller } from '../../store/acting.ts';
import type { Tx } from '../../store/database.ts';
import { acquisition, standingOf } from './claims.ts';
import { linkNew, releaseDependents } from './dependencies.ts';
import { tell } from './narration.ts';
import { requireLocked, requireTask, withSigns } from './reading.ts';
import { claimRequired, limitReached, notFound, notHolder, staleFence } from './refusals.ts';
import { endClaim, recordClaim } from './rows/claims.ts';
import { countChild, countRoot, uncountChild } from './rows/limits.ts';
import { changeTask, insertTask, reorderTask, type TaskChange } from './rows/tasks.ts';
import {
  claimOrder,
  isClaimed,
  isOriginator,
  isTerminal,
  leaseEnd,
  needsHolder,
  windowStart,
  type Standing,
} from './rules.ts';
import type { BoardLimits, Settings } from './settings.ts';
import type { Status, StoredTask } from './task.ts';

/** Tasks come, change their text and go. */

export type NewTask = Readonly<{
  title: string;
  description?: string | undefined;
  status?: Status | undefined;
  priority?: number | undefined;
  teamId?: string | undefined;
  parentTaskId?: string | undefined;
  assigneeRuntime?: string | undefined;
  dependsOn?: readonly string[] | undefined;
}>;

export async function create(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  request: NewTask,
): Promise<StoredTask> {
  const status = request.status ?? 'todo';
  const holder = needsHolder(status) ? caller.agent : undefined;
  if (needsHolder(status) && holder === undefined) throw claimRequired('status change', { to: status });
  const parent =
    request.parentTaskId === undefined ? undefined : await requireTask(tx, caller.who, request.parentTaskId);
  const team = caller.who.bound.team ?? request.teamId;
  const teamId = team ?? (parent ? parent.teamId : (caller.who.default?.team ?? null));
  if (parent) await reserveChild(tx, settings.limits, parent);
  else await reserveRoot(tx, settings.limits, teamId);
  const task: StoredTask = {
    id: newId(),
    title: redact(request.title),
    description: request.description === undefined ? null : redact(request.description),
    status,
    priority: request.priority ?? 0,
    teamId,
    assigneeAgentId: holder ?? null,
    assigneeRuntime: request.assigneeRuntime ?? null,
    parentTaskId: parent?.id ?? null,
    ...UNUSED,
    createdAt: tx.now,
    updatedAt: tx.now,
    completedAt: isTerminal(status) ? tx.now : null,
    ...(holder === undefined ? UNHELD : firstClaim(status, tx.now, settings.leaseMs, caller)),
    awaited: false,
    createdBy: caller.isPerson ? null : (caller.agent ?? caller.who.name ?? null),
    createdSeat: caller.seat,
    assignedBy: null,
    assignedSeat: null,
    revision: 0,
    depth: parent ? parent.depth + 1 : 1,
  };
  await insertTask(tx, task, claimOrder(task.priority, task.createdAt));
  tell(tx, task, 'task.created', { status, parentTaskId: task.parentTaskId });
  if (request.dependsOn) await linkNew(tx, caller, task, request.dependsOn);
  if (holder !== undefined) await recordFirstClaim(tx, settings, caller, { task, agentId: holder });
  return task;
}

/** Documented fields that nothing here fills yet; an import may. */
const UNUSED = {
  sourceDelegationId: null,
  worktreeRef: null,
  branchRef: null,
  costUsd: 0,
  parentSessionId: null,
  dropped: false,
  tenantId: null,
  scheduledBy: 'manual',
  verification: null,
} as const;

const UNHELD = { fence: 0, seat: null, claimedAt: null, leaseUntil: null } as const;

function firstClaim(status: Status, now: number, leaseMs: number, caller: Caller) {
  const isOver = isTerminal(status);
  return {
    fence: 1,
    seat: isOver ? null : caller.seat,
    claimedAt: now,
    leaseUntil: isOver ? null : leaseEnd(now, leaseMs),
  };
}

type FirstClaim = Readonly<{ task: StoredTask; agentId: string }>;

async function recordFirstClaim(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  { task, agentId }: FirstClaim,
): Promise<void> {
  await recordClaim(tx, acquisition(tx, settings, caller, { taskId: task.id, agentId }), task.fence);
  if (task.status === 'done') await endClaim(tx, task, 'done');
  tell(tx, task, 'task.claimed', { fence: task.fence, agentId, takeover: false });
}

async function reserveChild(tx: Tx, limits: BoardLimits, parent: StoredTask): Promise<void> {
  if (limits.depth > 0 && parent.depth >= limits.depth) {
    throw limitReached(
      'depth',
      limits.depth,
      `task ${parent.id} is at level ${parent.depth}`,
      'Attach the new task higher up.',
    );
  }
  const count = await countChild(tx, parent.id);
  if (count === undefined) throw notFound(parent.id);
  if (limits.childrenPerTask > 0 && count > limits.childrenPerTask) {
    throw limitReached(
      'childrenPerTask',
      limits.childrenPerTask,
      `task ${parent.id}`,
      'Group the work under other tasks.',
    );
  }
}

async function reserveRoot(tx: Tx, limits: BoardLimits, teamId: string | null): Promise<void> {
  if (limits.rootTasksPerTeam === 0) return;
  const count = await countRoot(tx, teamId ?? '', windowStart(tx.now, limits.rootWindowMs));
  if (count <= limits.rootTasksPerTeam) return;
  const minutes = limits.rootWindowMs / 60_000;
  const where = `${teamId === null ? 'tasks without a team' : `team ${teamId}`}, every ${minutes} min`;
  throw limitReached(
    'rootTasksPerTeam',
    limits.rootTasksPerTeam,
    where,
    'Wait for the next window, or attach the task to a parent with parentTaskId.',
  );
}

export type TaskEdit = Readonly<{
  title?: string | undefined;
  description?: string | null | undefined;
  priority?: number | undefined;
  branchRef?: string | null | undefined;
  worktreeRef?: string | null | undefined;
  costUsd?: number | undefined;
}>;

/** A new title or description is another task to check: evidence given before no longer counts. */
export async function edit(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  { taskId, ...request }: TaskEdit & Readonly<{ taskId: string }>,
): Promise<StoredTask> {
  const task = withSigns(await requireLocked(tx, caller.who, taskId), settings.renewals);
  const standing = await standingOf(tx, settings, caller, task);
  refuseOthers(tx, caller, task, standing);
  const wanted = scrubbed(request);
  const changed = (Object.keys(wanted) as (keyof TaskChange)[]).filter(
    (field) => wanted[field] !== task[field],
  );
  if (changed.length === 0) return task;
  const isRevised = changed.includes('title') || changed.includes('description');
  const renewal =
    standing === 'holder' && isClaimed(task) ? { leaseUntil: leaseEnd(tx.now, settings.leaseMs) } : {};
  const edited = await changeTask(tx, taskId, {
    ...wanted,
    ...renewal,
    ...(isRevised ? { revision: task.revision + 1 } : {}),
  });
  if (changed.includes('priority'))
    await reorderTask(tx, taskId, claimOrder(edited.priority, edited.createdAt));
  tell(tx, edited, 'task.updated', { fields: changed.join(',') });
  return edited;
}

/** What a task says is changed by who works on it, by who made it and by persons. */
function refuseOthers({ now }: Tx, caller: Caller, task: StoredTask, standing: Standing): void {
  if (standing === 'stale') throw staleFence('update', task, now);
  if (standing === 'stranger' && !isOriginator(task, caller)) throw notHolder('update', task, now);
}

/** What is to be changed, as it may be kept. */
function scrubbed(request: TaskEdit): TaskChange {
  const given = Object.entries(request).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    given.map(([field, value]) => [field, typeof value === 'string' ? redact(value) : value]),
  );
}

/** Out of sight for everyone; its history stays. */
export async function drop(tx: Tx, settings: Settings, caller: Caller, taskId: string): Promise<StoredTask> {
  const task = withSigns(await requireLocked(tx, caller.who, taskId), settings.renewals);
  const standing = await standingOf(tx, settings, caller, task);
  refuseOthers(tx, caller, task, standing);
  await endClaim(tx, task, 'dropped');
  const dropped = await changeTask(tx, taskId, { dropped: true, seat: null, leaseUntil: null });
  if (task.parentTaskId !== null) await uncountChild(tx, task.parentTaskId);
  tell(tx, dropped, 'task.dropped');
  if (!isTerminal(task.status)) await releaseDependents(tx, dropped, 'was dropped');
  return dropped;
}
