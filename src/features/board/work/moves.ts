import { HubError } from '../../../kernel/errors.ts';
import { calledByOthers } from '../../../kernel/person-name.ts';
import { redact } from '../../../kernel/redact.ts';
import { actorOf } from '../../../store/calls.ts';
import type { Tx } from '../../../store/database.ts';
import { endClaim, type ClaimEnd } from '../rows/claims.ts';
import { listChecks } from '../rows/evidence.ts';
import { changeTask, type TaskChange } from '../rows/tasks.ts';
import { beginsRevision, decideMove, isClaimed, isOriginator, isTerminal, leaseEnd } from '../rules.ts';
import type { Status, StoredTask } from '../task.ts';
import type { Unit } from '../unit.ts';
import { adopt, standingOf, take } from './claims.ts';
import { releaseDependents } from './dependencies.ts';
import { requireLocked } from './find.ts';
import { note, told } from './narration.ts';
import {
  illegalMove,
  moveRefusal,
  notClaimed,
  notHolder,
  staleFence,
  verificationRequired,
  type Tried,
  type Verb,
} from './refusals.ts';
import { FREE, reopen } from './reopen.ts';

/** Changes of status. The row is locked before it is judged, so two callers never move a task from the same state. */

export type MoveRequest = Readonly<{
  taskId: string;
  to: Status;
  /** A person's decision to finish although a check is not satisfied. */
  override?: Readonly<{ reason: string }> | undefined;
  /** How a refusal names what was tried. */
  verb?: Verb;
}>;

export async function move(unit: Unit, request: MoveRequest): Promise<StoredTask> {
  const { tx, caller, renewals } = unit;
  const { to, verb = 'status change' } = request;
  const task = await requireLocked(unit, request.taskId);
  const standing = await standingOf(unit, task);
  const mover = {
    to,
    standing,
    isNamed: caller.agent !== undefined,
    namesFence: caller.fence !== undefined,
    isOriginator: isOriginator(task, caller),
    isUnblocking: verb === 'unblock',
  };
  const decision = decideMove(task, mover, tx.now);
  if (decision.kind === 'refuse') throw moveRefusal({ verb, task, now: tx.now }, decision.reason, to);
  if (decision.kind === 'stay') {
    if (standing === 'holder' && isClaimed(task)) renewals.touchClaim(task.id, task.fence);
    return task;
  }
  const hold = decision.kind === 'take' ? take : decision.kind === 'adopt' ? adopt : undefined;
  const from = hold ? await hold(unit, task) : task;
  if (from.status === to) return from;
  const isHolder = standing === 'holder' || from !== task;
  return settle(unit, from, { ...request, verb, isHolder });
}

/** A person decides that it is done: also what nobody has begun, and what waits for something. */
export async function finish(
  unit: Unit,
  { taskId, override }: Pick<MoveRequest, 'taskId' | 'override'>,
): Promise<StoredTask> {
  if (!unit.caller.isPerson)
    throw new HubError('forbidden', 'Only a person may finish what nobody has begun.', {
      hint: 'Claim it first, with claim_task.',
    });
  const task = await requireLocked(unit, taskId);
  if (task.status === 'done') return task;
  const tried = { verb: 'status change', task, now: unit.now } as const;
  if (isTerminal(task.status)) throw illegalMove(tried, 'done');
  return settle(unit, task, { to: 'done', override, verb: 'status change', isHolder: false });
}

type Settling = Pick<MoveRequest, 'to' | 'override'> & Readonly<{ verb: Verb; isHolder: boolean }>;

/** Who may and from where has been decided. */
async function settle(unit: Unit, from: StoredTask, settling: Settling): Promise<StoredTask> {
  const { tx, leaseMs } = unit;
  const { to, verb, isHolder } = settling;
  const change = changeFor(from, to, { now: tx.now, leaseMs, isHolder });
  const tried = { verb, task: from, now: tx.now };
  const verification = to === 'done' ? await verify(unit, tried, settling.override) : {};
  const moved = await changeTask(tx, from.id, { ...change, ...verification });
  if (isTerminal(to)) await endClaim(tx, from, to as ClaimEnd);
  else if (to === 'todo' || to === 'backlog') await endClaim(tx, from, givenBackBy(isHolder));
  const { fence, assigneeAgentId: agentId } = moved;
  tx.emit(told(moved, 'task.status_changed', { from: from.status, to, fence, agentId }));
  if (to === 'cancelled') await releaseDependents(tx, moved, 'was cancelled');
  return moved;
}

/** Back to todo, by its holder, by whom it was left to, or by a person. */
export async function release(unit: Unit, taskId: string): Promise<StoredTask> {
  const task = await requireLocked(unit, taskId);
  const standing = await standingOf(unit, task);
  const tried = { verb: 'release', task, now: unit.now } as const;
  if (standing === 'stale') throw staleFence(tried);
  if (!isClaimed(task)) throw notClaimed(tried);
  if (standing === 'stranger') throw notHolder(tried);
  if (task.status !== 'in_progress') throw illegalMove(tried, 'todo');
  const isHolder = standing === 'holder' || standing === 'heir' || standing === 'awaited';
  return giveBack(unit.tx, task, givenBackBy(isHolder));
}

/**
 * Work that was handed in or is over goes on: free to be claimed, step by step as a person would make it. What somebody
 * is at stays with them.
 */
export async function takeUpAgain(unit: Unit, taskId: string): Promise<void> {
  const { status } = await requireLocked(unit, taskId);
  if (isTerminal(status)) await reopen(unit, taskId);
  if (status !== 'in_review') return;
  await move(unit, { taskId, to: 'in_progress' });
  await release(unit, taskId);
}

export async function giveBack(
  tx: Tx,
  task: StoredTask,
  why: 'release' | 'revoke' | 'lapse',
): Promise<StoredTask> {
  await endClaim(tx, task, why);
  const freed = await changeTask(tx, task.id, {
    ...FREE,
    status: 'todo',
    revision: task.revision + 1,
  });
  const { fence, assigneeAgentId: agentId } = task;
  tx.emit(told(freed, 'task.released', { fence, agentId, via: why }));
  return freed;
}

/** A holder whose claim others took back must learn so when it comes again. */
function givenBackBy(isHolder: boolean): 'release' | 'revoke' {
  return isHolder ? 'release' : 'revoke';
}

/** Unblocking answers a block; it is no way to take running work from its holder. */
export async function unblock(unit: Unit, taskId: string): Promise<StoredTask> {
  const task = await requireLocked(unit, taskId);
  if (task.status !== 'blocked') throw illegalMove({ verb: 'unblock', task, now: unit.now }, 'todo');
  return move(unit, { taskId, to: 'todo', verb: 'unblock' });
}

/** Its work is in the target: done, whatever it was before. The hub alone says so, of what it landed itself. */
export async function finishLanded(unit: Unit, taskId: string): Promise<StoredTask> {
  const { tx, leaseMs } = unit;
  const task = await requireLocked(unit, taskId);
  if (isTerminal(task.status)) return task;
  const facts = { now: tx.now, leaseMs, isHolder: false };
  const verification = { verification: { status: 'pass', at: tx.now } } as const;
  const done = await changeTask(tx, task.id, { ...changeFor(task, 'done', facts), ...verification });
  await endClaim(tx, task, 'done');
  const { fence, assigneeAgentId: agentId } = task;
  tx.emit(
    told(done, 'task.status_changed', { from: task.status, to: 'done', fence, agentId, via: 'landing' }),
  );
  return done;
}

type MoveFacts = Readonly<{ now: number; leaseMs: number; isHolder: boolean }>;

function changeFor(task: StoredTask, to: Status, { now, leaseMs, isHolder }: MoveFacts): TaskChange {
  const revision = beginsRevision(task.status, to) ? { revision: task.revision + 1 } : {};
  if (to === 'todo' || to === 'backlog') return { ...FREE, ...revision, status: to };
  if (isTerminal(to)) return { status: to, completedAt: now, seat: null, awaited: false, leaseUntil: null };
  const renewal = isHolder && isClaimed(task) ? { leaseUntil: leaseEnd(now, leaseMs) } : {};
  return { ...renewal, ...revision, status: to };
}

async function verify(
  { tx, caller }: Unit,
  tried: Tried,
  override: MoveRequest['override'],
): Promise<TaskChange> {
  const { task } = tried;
  const required = (await listChecks(tx, task)).filter((check) => check.required);
  const missing = required.filter((check) => !check.satisfied);
  if (required.length === 0) return {};
  if (missing.length === 0) return { verification: { status: 'pass', at: tx.now } };
  if (!override) throw verificationRequired(tried, missing);
  if (!caller.isPerson) {
    throw new HubError('forbidden', 'Only a person may finish a task against its checks.', {
      hint: 'Ask the operator to override.',
    });
  }
  const by = actorOf(caller).id;
  await note(
    tx,
    task,
    `Finished by ${calledByOthers(by)} with ${missing.length} required check(s) not satisfied.`,
  );
  tx.emit(told(task, 'task.overridden', { missing: missing.length }));
  return { verification: { status: 'overridden', at: tx.now, by, reason: redact(override.reason) } };
}
