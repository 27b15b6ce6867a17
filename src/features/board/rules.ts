import type { Status, StoredTask } from './task.ts';

/** The pure decisions of the board. Nothing here reads a clock or a row. */

const EDGES: Readonly<Record<Status, readonly Status[]>> = {
  backlog: ['todo', 'blocked', 'cancelled'],
  todo: ['in_progress', 'blocked', 'backlog', 'cancelled'],
  in_progress: ['in_review', 'done', 'blocked', 'todo', 'cancelled'],
  in_review: ['done', 'in_progress', 'blocked', 'cancelled'],
  blocked: ['todo', 'in_progress', 'backlog', 'cancelled'],
  done: [],
  cancelled: [],
};

export function nextStatuses(from: Status): readonly Status[] {
  return EDGES[from];
}

/** Staying where one is is always allowed and changes nothing. */
export function canMove(from: Status, to: Status): boolean {
  return from === to || EDGES[from].includes(to);
}

export function isTerminal(status: Status): boolean {
  return status === 'done' || status === 'cancelled';
}

/** Work under way or finished: no task gets there without somebody who claimed it. */
export function needsHolder(status: Status): boolean {
  return status === 'in_progress' || status === 'in_review' || status === 'done';
}

/** One point of priority is worth this much waiting, so a task of any priority is the oldest one some day. */
const AGEING_MS = 15 * 60_000;

/** The smaller, the sooner. Constant per task: ageing moves all waiting tasks alike, only their distance counts. */
export function claimOrder(priority: number, createdAt: number): number {
  return createdAt - priority * AGEING_MS;
}

export function leaseEnd(now: number, leaseMs: number): number | null {
  return leaseMs === 0 ? null : now + leaseMs;
}

export function isLapsed(task: Pick<StoredTask, 'leaseUntil'>, now: number): boolean {
  return task.leaseUntil !== null && task.leaseUntil <= now;
}

/** Someone claimed this task and has neither finished nor given it back. */
export function isClaimed(task: Pick<StoredTask, 'status' | 'assigneeAgentId'>): boolean {
  return task.assigneeAgentId !== null && !isTerminal(task.status);
}

/** What a call tells about its maker: a proven or asserted agent, the seat's latest claim of this task, a fence. */
export type Signs = Readonly<{
  agent: string | undefined;
  seatClaim: Readonly<{ fence: number; endedBy: string | null }> | undefined;
  fence: number | undefined;
}>;

/**
 * - `holder`: it holds the current claim.
 * - `stale`: it lost an earlier one, or names a fence that is over. Who gave its claim back has lost nothing.
 * - `other`: it is somebody else than the living holder.
 * - `unnamed`: nothing ties it to any claim; it is judged by the task's state alone.
 */
export type Standing = 'holder' | 'stale' | 'other' | 'unnamed';

/**
 * The fence decides first, then the seat, then the name: a successor of the same name must not let the
 * attempt that died before it pass as the holder.
 */
export function judgeCaller(task: StoredTask, signs: Signs, now: number): Standing {
  const isCurrent = (fence: number) => task.assigneeAgentId !== null && fence === task.fence;
  if (signs.fence !== undefined) return isCurrent(signs.fence) ? 'holder' : 'stale';
  if (signs.seatClaim) {
    if (isCurrent(signs.seatClaim.fence)) return 'holder';
    if (signs.seatClaim.endedBy !== 'release') return 'stale';
  }
  if (signs.agent === undefined) return 'unnamed';
  if (signs.agent === task.assigneeAgentId) return 'holder';
  return isClaimed(task) && !isLapsed(task, now) ? 'other' : 'unnamed';
}

export type MoveRefusal = 'stale_fence' | 'illegal_transition' | 'claim_required';
export type Move = Readonly<{ kind: 'stay' } | { kind: 'move' } | { kind: 'take' } | { kind: 'refuse'; reason: MoveRefusal }>;

/** `take`: the caller becomes the holder first. `isNamed`: there is an agent who could. */
export function decideMove(task: StoredTask, to: Status, caller: Readonly<{ standing: Standing; isNamed: boolean }>, now: number): Move {
  const isStranger = caller.standing === 'other' && !isVerdict(task.status, to);
  if (caller.standing === 'stale' || isStranger) return { kind: 'refuse', reason: 'stale_fence' };
  if (!canMove(task.status, to)) return { kind: 'refuse', reason: 'illegal_transition' };
  const canTake = caller.standing === 'unnamed' && caller.isNamed && needsHolder(to) && !isTerminal(task.status);
  if (canTake) return { kind: 'take' };
  if (task.status === to) return { kind: 'stay' };
  if (needsHolder(to) && !hasHolder(task, caller.standing, now)) return { kind: 'refuse', reason: 'claim_required' };
  return { kind: 'move' };
}

/** Work handed in for review is there for others to judge: done, or back to its holder. */
function isVerdict(from: Status, to: Status): boolean {
  return from === 'in_review' && (to === 'done' || to === 'in_progress');
}

/** Leaving work that is under way needs no new claim; resuming parked work needs one that is alive. */
function hasHolder(task: StoredTask, standing: Standing, now: number): boolean {
  if (!isClaimed(task)) return false;
  return standing === 'holder' || task.status !== 'blocked' || !isLapsed(task, now);
}

/** Evidence counts for the revision it was given in; these moves begin a new one. */
export function beginsRevision(from: Status, to: Status): boolean {
  return to === 'todo' || (from === 'in_review' && to === 'in_progress');
}

export function isSatisfied(newest: Readonly<{ passed: boolean; revision: number }> | undefined, revision: number): boolean {
  return newest !== undefined && newest.passed && newest.revision === revision;
}

/** The instant the window began in which `now` lies. */
export function windowStart(now: number, windowMs: number): number {
  return Math.floor(now / windowMs) * windowMs;
}
