import { HubError } from '../../kernel/errors.ts';
import { redact } from '../../kernel/redact.ts';
import { actorOf, type Caller } from '../../store/acting.ts';
import type { Tx } from '../../store/database.ts';
import { adopt, standingOf, take } from './claims.ts';
import { releaseDependents } from './dependencies.ts';
import { requiredChecks } from './evidence.ts';
import { note, tell } from './narration.ts';
import { requireLocked, withSigns } from './reading.ts';
import {
  illegalMove,
  moveRefusal,
  notClaimed,
  notHolder,
  staleFence,
  verificationRequired,
  type Verb,
} from './refusals.ts';
import { FREE, reopen } from './reopening.ts';
import { endClaim, type ClaimEnd } from './rows/claims.ts';
import { changeTask, type TaskChange } from './rows/tasks.ts';
import { beginsRevision, decideMove, isClaimed, isOriginator, isTerminal, leaseEnd } from './rules.ts';
import type { Settings } from './settings.ts';
import type { Status, StoredTask } from './task.ts';

/** Changes of status. The row is locked before it is judged, so two callers never move a task from the same state. */

export type MoveRequest = Readonly<{
  taskId: string;
  to: Status;
  /** A person's decision to finish although a check is not satisfied. */
  override?: Readonly<{ reason: string }> | undefined;
  /** How a refusal names what was tried. */
  verb?: Verb;
}>;

export async function move(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  request: MoveRequest,
): Promise<StoredTask> {
  const { verb = 'status change' } = request;
  const task = withSigns(await requireLocked(tx, caller.who, request.taskId), settings.renewals);
  const standing = await standingOf(tx, settings, caller, task);
  const mover = {
    standing,
    isNamed: caller.agent !== undefined,
    namesFence: caller.fence !== undefined,
    isOriginator: isOriginator(task, caller),
    isUnblocking: verb === 'unblock',
  };
  const decision = decideMove(task, request.to, mover, tx.now);
  if (decision.kind === 'refuse')
    throw moveRefusal(verb, task, { reason: decision.reason, to: request.to }, tx.now);
  if (decision.kind === 'stay') {
    if (standing === 'holder' && isClaimed(task)) settings.renewals.touchClaim(task.id, task.fence);
    return task;
  }
  const hold = decision.kind === 'take' ? take : decision.kind === 'adopt' ? adopt : undefined;
  const from = hold ? await hold(tx, settings, caller, task) : task;
  if (from.status === request.to) return from;
  const isHolder = standing === 'holder' || from !== task;
  const change = changeFor(from, request.to, { now: tx.now, leaseMs: settings.leaseMs, isHolder });
  const verification = request.to === 'done' ? await verify(tx, caller, from, { ...request, verb }) : {};
  const moved = await changeTask(tx, from.id, { ...change, ...verification });
  if (isTerminal(request.to)) await endClaim(tx, from, request.to as ClaimEnd);
  else if (request.to === 'todo' || request.to === 'backlog') await endClaim(tx, from, givenBackBy(isHolder));
  tellMove(tx, moved, from.status);
  if (request.to === 'cancelled') await releaseDependents(tx, moved, 'was cancelled');
  return moved;
}

/** Back to todo, by its holder, by whom it was left to, or by a person. */
export async function release(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  taskId: string,
): Promise<StoredTask> {
  const task = withSigns(await requireLocked(tx, caller.who, taskId), settings.renewals);
  const standing = await standingOf(tx, settings, caller, task);
  if (standing === 'stale') throw staleFence('release', task, tx.now);
  if (!isClaimed(task)) throw notClaimed('release', task, tx.now);
  if (standing === 'stranger') throw notHolder('release', task, tx.now);
  if (task.status !== 'in_progress') throw illegalMove('release', task, 'todo', tx.now);
  return giveBack(
    tx,
    task,
    givenBackBy(standing === 'holder' || standing === 'heir' || standing === 'awaited'),
  );
}

/**
 * Work that was handed in or is over goes on: free to be claimed, step by step as a person would make it. What somebody
 * is at stays with them.
 */
export async function takeUpAgain(tx: Tx, settings: Settings, caller: Caller, taskId: string): Promise<void> {
  const { status } = await requireLocked(tx, caller.who, taskId);
  if (isTerminal(status)) await reopen(tx, caller, taskId);
  if (status !== 'in_review') return;
  await move(tx, settings, caller, { taskId, to: 'in_progress' });
  await release(tx, settings, caller, taskId);
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
  tell(tx, freed, 'task.released', { fence: task.fence, agentId: task.assigneeAgentId, via: why });
  return freed;
}

/** A holder whose claim others took back must learn so when it comes again. */
function givenBackBy(isHolder: boolean): 'release' | 'revoke' {
  return isHolder ? 'release' : 'revoke';
}

/** Unblocking answers a block; it is no way to take running work from its holder. */
export async function unblock(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  taskId: string,
): Promise<StoredTask> {
  const task = await requireLocked(tx, caller.who, taskId);
  if (task.status !== 'blocked') throw illegalMove('unblock', task, 'todo', tx.now);
  return move(tx, settings, caller, { taskId, to: 'todo', verb: 'unblock' });
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
  tx: Tx,
  caller: Caller,
  task: StoredTask,
  { override, verb }: Pick<MoveRequest, 'override'> & Readonly<{ verb: Verb }>,
): Promise<TaskChange> {
  const required = await requiredChecks(tx, task);
  const missing = required.filter((check) => !check.satisfied);
  if (required.length === 0) return {};
  if (missing.length === 0) return { verification: { status: 'pass', at: tx.now } };
  if (!override) throw verificationRequired(verb, task, missing, tx.now);
  if (!caller.isPerson) {
    throw new HubError('forbidden', 'Only a person may finish a task against its checks.', {
      hint: 'Ask the operator to override.',
    });
  }
  const by = actorOf(caller).id;
  await note(tx, task, `Finished by ${by} with ${missing.length} required check(s) not satisfied.`);
  tell(tx, task, 'task.overridden', { missing: missing.length });
  return { verification: { status: 'overridden', at: tx.now, by, reason: redact(override.reason) } };
}

function tellMove(tx: Tx, task: StoredTask, from: Status): void {
  tell(tx, task, 'task.status_changed', {
    from,
    to: task.status,
    fence: task.fence,
    agentId: task.assigneeAgentId,
  });
}
