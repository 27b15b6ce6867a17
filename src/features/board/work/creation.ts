import { newId } from '../../../kernel/ids.ts';
import { redact } from '../../../kernel/redact.ts';
import type { Tx } from '../../../store/database.ts';
import { endClaim, recordClaim } from '../rows/claims.ts';
import { countChild, countRoot, uncountChild } from '../rows/limits.ts';
import { changeTask, insertTask, reorderTask, type TaskChange } from '../rows/tasks.ts';
import {
  claimOrder,
  isClaimed,
  isOriginator,
  isTerminal,
  leaseEnd,
  needsHolder,
  windowStart,
  type Standing,
} from '../rules.ts';
import type { BoardLimits } from '../settings.ts';
import {
  BLANK,
  edits,
  fieldsOf,
  INSIDE,
  type NewTask,
  newTask,
  pick,
  type Status,
  type StoredTask,
  type TaskEdit,
} from '../task.ts';
import type { Unit } from '../unit.ts';
import { acquisition, standingOf } from './claims.ts';
import { linkNew, releaseDependents } from './dependencies.ts';
import { requireLocked, requireTask } from './find.ts';
import { told } from './narration.ts';
import { claimRequired, limitReached, notFound, notHolder, staleFence } from './refusals.ts';

/** Tasks come, change their text and go. */

export async function create(unit: Unit, request: NewTask): Promise<StoredTask> {
  const { tx, caller, limits } = unit;
  const { status = 'todo', teamId: named, parentTaskId, dependsOn } = request;
  const holder = needsHolder(status) ? caller.agent : undefined;
  if (needsHolder(status) && holder === undefined) throw claimRequired('status change', { to: status });
  const parent = parentTaskId === undefined ? undefined : await requireTask(unit, parentTaskId);
  const team = caller.who.bound.team ?? named;
  const teamId = team ?? (parent ? parent.teamId : (caller.who.default?.team ?? null));
  if (parent) await reserveChild(tx, limits, parent);
  else await reserveRoot(tx, limits, teamId);
  const task: StoredTask = {
    ...BLANK,
    ...INSIDE,
    ...scrubbed(pick(request, SAID)),
    id: newId(),
    title: redact(request.title),
    status,
    teamId,
    parentTaskId: parent?.id ?? null,
    dropped: false,
    createdAt: tx.now,
    updatedAt: tx.now,
    completedAt: isTerminal(status) ? tx.now : null,
    ...(holder !== undefined && firstClaim(unit, status, holder)),
    createdBy: caller.isPerson ? null : (caller.agent ?? caller.who.name ?? null),
    createdSeat: caller.seat,
    depth: parent ? parent.depth + 1 : 1,
  };
  await insertTask(tx, task, claimOrder(task.priority, task.createdAt));
  tx.emit(told(task, 'task.created', { status, parentTaskId: task.parentTaskId }));
  if (dependsOn) await linkNew(unit, task, dependsOn);
  if (holder !== undefined) await recordFirstClaim(unit, task, holder);
  return task;
}

/** What a new task says; where it stands is decided. */
const SAID = fieldsOf(newTask).filter(
  (field) => field !== 'status' && field !== 'teamId' && field !== 'parentTaskId' && field !== 'dependsOn',
);

function firstClaim({ now, caller, leaseMs }: Unit, status: Status, agentId: string) {
  const isOver = isTerminal(status);
  return {
    assigneeAgentId: agentId,
    fence: 1,
    seat: isOver ? null : caller.seat,
    claimedAt: now,
    leaseUntil: isOver ? null : leaseEnd(now, leaseMs),
  };
}

async function recordFirstClaim(unit: Unit, task: StoredTask, agentId: string): Promise<void> {
  const { tx } = unit;
  await recordClaim(tx, acquisition(unit, { taskId: task.id, agentId }), task.fence);
  if (task.status === 'done') await endClaim(tx, task, 'done');
  tx.emit(told(task, 'task.claimed', { fence: task.fence, agentId, takeover: false }));
}

async function reserveChild(tx: Tx, limits: BoardLimits, parent: StoredTask): Promise<void> {
  if (limits.depth > 0 && parent.depth >= limits.depth) {
    throw limitReached({
      limit: 'depth',
      max: limits.depth,
      what: `task ${parent.id} is at level ${parent.depth}`,
      hint: 'Attach the new task higher up.',
    });
  }
  const count = await countChild(tx, parent.id);
  if (count === undefined) throw notFound(parent.id);
  if (limits.childrenPerTask > 0 && count > limits.childrenPerTask) {
    throw limitReached({
      limit: 'childrenPerTask',
      max: limits.childrenPerTask,
      what: `task ${parent.id}`,
      hint: 'Group the work under other tasks.',
    });
  }
}

async function reserveRoot(tx: Tx, limits: BoardLimits, teamId: string | null): Promise<void> {
  if (limits.rootTasksPerTeam === 0) return;
  const count = await countRoot(tx, teamId ?? '', windowStart(tx.now, limits.rootWindowMs));
  if (count <= limits.rootTasksPerTeam) return;
  const minutes = limits.rootWindowMs / 60_000;
  const where = `${teamId === null ? 'tasks without a team' : `team ${teamId}`}, every ${minutes} min`;
  throw limitReached({
    limit: 'rootTasksPerTeam',
    max: limits.rootTasksPerTeam,
    what: where,
    hint: 'Wait for the next window, or attach the task to a parent with parentTaskId.',
  });
}

/** A new title or description is another task to check: evidence given before no longer counts. */
export async function edit(
  unit: Unit,
  { taskId, ...given }: TaskEdit & Readonly<{ taskId: string }>,
): Promise<StoredTask> {
  const { tx, leaseMs } = unit;
  const task = await requireLocked(unit, taskId);
  const standing = await standingOf(unit, task);
  refuseOthers(unit, task, standing);
  const wanted = scrubbed(pick(given, fieldsOf(edits)));
  const changed = (Object.keys(wanted) as (keyof TaskChange)[]).filter(
    (field) => wanted[field] !== task[field],
  );
  if (changed.length === 0) return task;
  const isRevised = changed.includes('title') || changed.includes('description');
  const edited = await changeTask(tx, taskId, {
    ...wanted,
    ...(standing === 'holder' && isClaimed(task) && { leaseUntil: leaseEnd(tx.now, leaseMs) }),
    ...(isRevised && { revision: task.revision + 1 }),
  });
  if (changed.includes('priority'))
    await reorderTask(tx, taskId, claimOrder(edited.priority, edited.createdAt));
  tx.emit(told(edited, 'task.updated', { fields: changed.join(',') }));
  return edited;
}

/** What a task says is changed by who works on it, by who made it and by persons. */
function refuseOthers({ now, caller }: Unit, task: StoredTask, standing: Standing): void {
  const tried = { verb: 'update', task, now } as const;
  if (standing === 'stale') throw staleFence(tried);
  if (standing === 'stranger' && !isOriginator(task, caller)) throw notHolder(tried);
}

/** What was given of a task, as it may be kept. */
function scrubbed(given: TaskEdit & Pick<NewTask, 'assigneeRuntime'>): TaskChange {
  const said = Object.entries(given).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    said.map(([field, value]) => [field, typeof value === 'string' ? redact(value) : value]),
  );
}

/** Out of sight for everyone; its history stays. */
export async function drop(unit: Unit, taskId: string): Promise<StoredTask> {
  const { tx } = unit;
  const task = await requireLocked(unit, taskId);
  refuseOthers(unit, task, await standingOf(unit, task));
  await endClaim(tx, task, 'dropped');
  const dropped = await changeTask(tx, taskId, { dropped: true, seat: null, leaseUntil: null });
  if (task.parentTaskId !== null) await uncountChild(tx, task.parentTaskId);
  tx.emit(told(dropped, 'task.dropped'));
  if (!isTerminal(task.status)) await releaseDependents(tx, dropped, 'was dropped');
  return dropped;
}
