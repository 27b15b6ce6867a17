import type { Caller } from '../../store/calls.ts';
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

/** What a call tells about its maker. */
export type Signs = Readonly<{
  /** The agent it acts as, and why we think so. */
  agent: string | undefined;
  known: Caller['known'];
  /** Others see it under some name, if only one that its connection was given. */
  isNamed: boolean;
  hasSeat: boolean;
  isPerson: boolean;
  /** The latest claim of this task that its seat made. */
  seatClaim: Readonly<{ fence: number; endedBy: string | null }> | undefined;
  fence: number | undefined;
  /** The seat that holds the current claim is there. */
  isHolderLiving: boolean;
}>;

/**
 * - `holder`: it holds the current claim.
 * - `heir`: it names the holder, whose seat is gone: it goes on with the claim.
 * - `awaited`: the task was assigned and waits for it.
 * - `successor`: the claim has lapsed and the caller has a name: it takes over first.
 * - `person`: decides, and holds nothing.
 * - `anyone`: nobody holds the task; or only a name does, and the caller has neither name nor connection.
 * - `stale`: it lost an earlier claim, or names a fence that is over. Who gave its claim back has lost nothing.
 * - `stranger`: somebody else holds the task.
 */
export type Standing =
  | 'holder'
  | 'heir'
  | 'awaited'
  | 'successor'
  | 'person'
  | 'anyone'
  | 'stale'
  | 'stranger';

/**
 * The fence decides first, then the seat, then the name: a successor of the same name must not let the attempt that died
 * before it pass as the holder, and a name that a connection was merely given inherits nothing.
 */
export function judgeCaller(task: StoredTask, signs: Signs, now: number): Standing {
  const isCurrent = (fence: number) => task.assigneeAgentId !== null && fence === task.fence;
  if (signs.fence !== undefined) return isCurrent(signs.fence) ? 'holder' : 'stale';
  if (signs.seatClaim) {
    if (isCurrent(signs.seatClaim.fence)) return 'holder';
    if (signs.seatClaim.endedBy !== 'release') return 'stale';
  }
  if (!isClaimed(task)) return 'anyone';
  if (signs.isPerson) return 'person';
  const isNamesake = signs.agent !== undefined && signs.agent === task.assigneeAgentId;
  if (task.awaited) {
    if (isNamesake || signs.known === 'unnamed') return 'awaited';
  } else if (isNamesake && signs.known !== 'automatic') {
    if (task.seat === null) return 'holder';
    if (!signs.isHolderLiving) return 'heir';
  } else if (task.seat === null && !signs.hasSeat && signs.known === 'unnamed') {
    return 'anyone';
  }
  return isLapsed(task, now) && signs.isNamed ? 'successor' : 'stranger';
}

/** Whoever made a task or gave it to somebody may take it off the board again. */
export function isOriginator(
  task: StoredTask,
  { agent, known, seat }: Pick<Caller, 'agent' | 'known' | 'seat'>,
): boolean {
  if (seat !== null && (seat === task.createdSeat || seat === task.assignedSeat)) return true;
  const isKnown = known === 'bound' || known === 'asserted';
  return isKnown && (agent === task.createdBy || agent === task.assignedBy);
}

/** The fence is a key to the claim: its holder and persons are shown it, and who could do everything without it. */
export function mayKnowFence(
  task: Pick<StoredTask, 'assigneeAgentId' | 'seat' | 'fence'>,
  { who, agent, known, seat, fence, isPerson }: Caller,
): boolean {
  if (task.assigneeAgentId === null) return false;
  if (fence !== undefined && fence === task.fence) return true;
  if (isPerson || who.kind === 'system') return true;
  if (task.seat !== null) return task.seat === seat;
  if (known === 'unnamed') return seat === null;
  return agent === task.assigneeAgentId && known !== 'automatic';
}

export type MoveRefusal = 'stale_fence' | 'not_holder' | 'illegal_transition' | 'claim_required';
export type Move = Readonly<
  | { kind: 'stay' }
  | { kind: 'move' }
  | { kind: 'take' }
  | { kind: 'adopt' }
  | { kind: 'refuse'; reason: MoveRefusal }
>;

export type Mover = Readonly<{
  to: Status;
  standing: Standing;
  /** There is an agent who could hold the task. */
  isNamed: boolean;
  namesFence: boolean;
  isOriginator: boolean;
  /** Unblocking answers a block and is open to all. */
  isUnblocking: boolean;
}>;

/** `take`: the caller becomes the holder first, by a new claim; `adopt`: by the one that waits for it or was left to it. */
export function decideMove(task: StoredTask, mover: Mover, now: number): Move {
  const { to, standing } = mover;
  const isOpen = mover.isUnblocking || isVerdict(task.status, to);
  if (standing === 'stale' && (mover.namesFence || !isOpen)) return { kind: 'refuse', reason: 'stale_fence' };
  const mayPass = isOpen || (to === 'cancelled' && mover.isOriginator);
  if (standing === 'stranger' && !mayPass) return { kind: 'refuse', reason: 'not_holder' };
  if (!canMove(task.status, to)) return { kind: 'refuse', reason: 'illegal_transition' };
  if (standing === 'awaited' || standing === 'heir') return { kind: 'adopt' };
  if (standing === 'successor' && !isOpen) return { kind: 'take' };
  const isFree = standing === 'anyone' && !isClaimed(task);
  if (isFree && mover.isNamed && needsHolder(to) && !isTerminal(task.status)) return { kind: 'take' };
  if (task.status === to) return { kind: 'stay' };
  if (needsHolder(to) && !hasHolder(task, standing, now)) return { kind: 'refuse', reason: 'claim_required' };
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

export function isSatisfied(
  newest: Readonly<{ passed: boolean; revision: number }> | undefined,
  revision: number,
): boolean {
  return newest !== undefined && newest.passed && newest.revision === revision;
}

/** The instant the window began in which `now` lies. */
export function windowStart(now: number, windowMs: number): number {
  return Math.floor(now / windowMs) * windowMs;
}

export type TeamFilter = Readonly<{ teamId?: string; orNone?: boolean }>;

/** Which team's tasks are asked for. */
export type TeamWish = Readonly<{
  teamId?: string | undefined;
  /** With what belongs to no team. */
  orNone?: boolean | undefined;
  /** Every team's, not only the caller's project. */
  all?: boolean | undefined;
}>;

/** The bound team alone; else the one that is named; else the caller's project with what belongs to nobody's. */
export function teamFilter({ who }: Pick<Caller, 'who'>, { teamId, orNone, all }: TeamWish): TeamFilter {
  if (who.bound.team !== undefined) return { teamId: who.bound.team };
  if (teamId !== undefined) return orNone ? { teamId, orNone } : { teamId };
  const team = all || orNone ? undefined : who.default?.team;
  return team === undefined ? {} : { teamId: team, orNone: true };
}
