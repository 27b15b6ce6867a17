import type { Caller } from '../../../store/calls.ts';
import type { Query, Tx } from '../../../store/database.ts';
import {
  adoptTask,
  claimTask,
  endClaim,
  findClaim,
  findLatestClaimOfSeat,
  findNextAwaited,
  findNextFree,
  findNextLapsed,
  renewTask,
  seizeTask,
} from '../rows/claims.ts';
import type { Acquisition, Candidate, NextFilter, PastClaim } from '../rows/claims.ts';
import { listOpenDependencies } from '../rows/relatives.ts';
import { isHeld } from '../rows/imports.ts';
import {
  isClaimed,
  isLapsed,
  judgeCaller,
  leaseEnd,
  teamFilter,
  type Standing,
  type TeamWish,
} from '../rules.ts';
import type { StoredTask } from '../task.ts';
import type { BoardSight, Unit } from '../unit.ts';
import { requireLocked, requireTask } from './find.ts';
import { at, note, told } from './narration.ts';
import {
  claimConflict,
  claimRequired,
  notClaimed,
  notHolder,
  notReady,
  notWhole,
  staleFence,
  type Verb,
} from './refusals.ts';

/**
 * Taking, giving, keeping and losing a claim. A claim without a lease and a fence does not exist. Who holds a claim is a
 * seat, under the documented assignee's name; without a connection it is the name alone.
 */

export type ClaimRequest = Readonly<{ taskId: string; agentId: string; runtime?: string | undefined }>;

/** Most open dependencies named in a refusal. */
const NAMED = 20;

export async function standingOf(
  { q, caller, now, isLiving }: BoardSight,
  task: StoredTask,
): Promise<Standing> {
  const { agent, known, seat, fence, isPerson, who } = caller;
  const seatClaim = seat !== null && task.fence > 0 ? await seatClaimOf(q, seat, task) : undefined;
  const isNamesake = agent !== undefined && agent === task.assigneeAgentId;
  const isHolderLiving = isNamesake && task.seat !== null && (await isLiving(q, task.seat));
  const isNamed = (agent ?? who.name) !== undefined;
  const signs = { agent, known, isNamed, hasSeat: seat !== null, isPerson, seatClaim, fence, isHolderLiving };
  return judgeCaller(task, signs, now);
}

async function seatClaimOf(
  q: Query,
  seat: string,
  task: StoredTask,
): Promise<Pick<PastClaim, 'fence' | 'endedBy'> | undefined> {
  return task.seat === seat ? { fence: task.fence, endedBy: null } : findLatestClaimOfSeat(q, task.id, seat);
}

/** The agent as which this seat claimed the task and did not give it back: its further changes are attributed to it. */
export async function agentOfSeat({ q, caller }: BoardSight, taskId: string): Promise<string | undefined> {
  if (caller.seat === null) return undefined;
  const latest = await findLatestClaimOfSeat(q, taskId, caller.seat);
  return latest?.endedBy === 'release' ? undefined : latest?.agentId;
}

/** Planning around a task needs no claim, but who names one must hold it. */
export function refuseStaleFence({ caller, now }: BoardSight, task: StoredTask): void {
  if (caller.fence === undefined) return;
  if (task.assigneeAgentId === null || caller.fence !== task.fence)
    throw staleFence({ verb: 'update', task, now });
}

/** The assignee of a task that waits for it claims it by taking it up. */
export async function claim(unit: Unit, request: ClaimRequest): Promise<StoredTask> {
  const { tx } = unit;
  const wanted = acquisition(unit, request);
  const taken = await claimTask(tx, wanted);
  if (taken) return settle(unit, taken);
  const task = await requireLocked(unit, request.taskId);
  if (task.awaited && task.assigneeAgentId === request.agentId && !isLapsed(task, tx.now)) {
    return adopt(unit, task);
  }
  return settle(unit, await claimHeld(unit, task, wanted));
}

/** Assigning to oneself is claiming. Otherwise the claim waits for its assignee, and its assigner holds nothing. */
export async function assign(unit: Unit, request: ClaimRequest): Promise<StoredTask> {
  const { tx, caller, leaseMs, longestMs } = unit;
  if (caller.agent === request.agentId) return claim(unit, request);
  const given: Acquisition = {
    ...acquisition(unit, request),
    seat: null,
    asserted: true,
    leaseUntil: leaseEnd(tx.now, leaseMs === 0 ? 0 : longestMs),
    assigner: { name: caller.agent ?? caller.who.name ?? null, seat: caller.seat },
  };
  const assigned = await claimTask(tx, given);
  if (assigned) return settle(unit, assigned);
  return settle(unit, await claimHeld(unit, await requireLocked(unit, request.taskId), given));
}

/**
 * The second look at a task that was not to be had. PostgreSQL judged the first try by what was committed
 * when it began; a release, a reopening or the end of a dependency may have been on its way. The row is held
 * now, so each turn either takes it or finds what it waits for, and a refusal is true. Proven by
 * test/contract/board-races.test.ts.
 */
async function claimHeld({ tx, caller }: Unit, task: StoredTask, wanted: Acquisition): Promise<StoredTask> {
  while (task.status === 'todo' && !isClaimed(task)) {
    await refuseUnready(tx, 'claim', task);
    const taken = await claimTask(tx, wanted);
    if (taken) return taken;
  }
  throw claimConflict(task, tx.now, isOwnClaim(caller, task));
}

async function refuseUnready(tx: Tx, verb: Verb, task: StoredTask): Promise<void> {
  const tried = { verb, task, now: tx.now };
  if (await isHeld(tx, task.id)) throw notWhole(tried);
  const waitsFor = await listOpenDependencies(tx, task.id, NAMED);
  if (waitsFor.length > 0) throw notReady(tried, waitsFor);
}

export type NextRequest = Omit<ClaimRequest, 'taskId'> & Pick<TeamWish, 'teamId' | 'orNone'>;

/** What waits for this agent, else the best ready task, or undefined when nothing is ready. Each turn takes a task or finds one less. */
export async function claimNext(unit: Unit, request: NextRequest): Promise<StoredTask | undefined> {
  const { tx, caller } = unit;
  const filter = { ...teamFilter(caller, request), runtime: request.runtime };
  const mine = await findNextAwaited(tx, request.agentId, filter);
  if (mine) return adopt(unit, mine);
  for (;;) {
    const next = first(await findNextFree(tx, filter), await nextAbandoned(unit, filter));
    if (!next) return undefined;
    const taken = await claimTask(tx, acquisition(unit, { ...request, taskId: next.id }));
    if (taken) return settle(unit, taken);
  }
}

/** A lapsed claim whose holder gave a sign of life that is not written yet is alive: it is renewed and passed over. */
async function nextAbandoned({ tx, renewals }: Unit, filter: NextFilter): Promise<Candidate | undefined> {
  for (;;) {
    const lapsed = await findNextLapsed(tx, filter);
    const alive = lapsed && renewals.leaseOf(lapsed);
    if (!lapsed || alive === undefined || alive <= tx.now) return lapsed;
    await renewTask(tx, lapsed, alive);
  }
}

function first(free: Candidate | undefined, lapsed: Candidate | undefined): Candidate | undefined {
  return free && lapsed ? (lapsed.order < free.order ? lapsed : free) : (free ?? lapsed);
}

/** For a task the unit has locked and judged: the caller becomes its holder. */
export async function take(unit: Unit, task: StoredTask): Promise<StoredTask> {
  const { tx, caller } = unit;
  const agentId = caller.agent ?? caller.who.name!;
  const wanted = acquisition(unit, { taskId: task.id, agentId });
  for (;;) {
    const taken = await seizeTask(tx, wanted, task);
    if (taken) return settle(unit, taken);
    await refuseUnready(tx, 'status change', task);
  }
}

/** The claim stays what it is, with its fence: whoever it waited for, or whom it was left to, sits in its seat now. */
export async function adopt({ tx, caller, leaseMs }: Unit, task: StoredTask): Promise<StoredTask> {
  const leaseUntil = leaseEnd(tx.now, leaseMs);
  const adopted = await adoptTask(tx, task, { seat: caller.seat, leaseUntil });
  const { fence, assigneeAgentId: agentId } = task;
  if (task.awaited) tx.emit(told(adopted, 'task.taken_up', { fence, agentId }));
  return adopted;
}

/** The holder goes on under another seat, with the same claim. Who does not hold the task hands nothing over. */
export async function handOver(
  unit: Unit,
  { taskId, to }: Readonly<{ taskId: string; to: Caller }>,
): Promise<void> {
  const task = await requireLocked(unit, taskId);
  if ((await standingOf(unit, task)) === 'holder') await adopt({ ...unit, caller: to }, task);
}

/** Lets whoever may work on a task in whatever way its standing allows; refuses everybody else. */
export async function holdForWork(unit: Unit, task: StoredTask, standing: Standing): Promise<StoredTask> {
  if (standing === 'awaited' || standing === 'heir') return adopt(unit, task);
  return standing === 'successor' ? take(unit, task) : task;
}

export type Heartbeat = Readonly<{ taskId: string; fence: number; leaseUntil: number | null }>;

/** A sign of life and nothing else; only the holder can give one. Undefined: the claim has to be adopted first, which is a change. */
export async function heartbeat(sight: BoardSight, taskId: string): Promise<Heartbeat | undefined> {
  return beatFor(sight, await requireTask(sight, taskId));
}

async function beatFor(sight: BoardSight, task: StoredTask): Promise<Heartbeat | undefined> {
  const { now, leaseMs, renewals } = sight;
  const { id: taskId, fence } = task;
  const standing = await standingOf(sight, task);
  const tried = { verb: 'heartbeat', task, now } as const;
  if (standing === 'stale') throw staleFence(tried);
  if (!isClaimed(task)) throw notClaimed(tried);
  if (standing === 'stranger' || standing === 'successor') throw notHolder(tried);
  if (standing === 'awaited' || standing === 'heir') return undefined;
  if (standing !== 'holder') throw claimRequired('heartbeat', { taskId });
  renewals.touchClaim(taskId, fence);
  return { taskId, fence, leaseUntil: task.leaseUntil === null ? null : leaseEnd(now, leaseMs) };
}

/**
 * The same where something may be changed on the way. The row is held first: what is judged is what is
 * adopted.
 */
export async function keepAlive(unit: Unit, taskId: string): Promise<Heartbeat> {
  const task = await requireLocked(unit, taskId);
  const beat = await beatFor(unit, task);
  if (beat) return beat;
  const { fence, leaseUntil } = await adopt(unit, task);
  return { taskId, fence, leaseUntil };
}

export function acquisition({ tx, caller, leaseMs }: Unit, request: ClaimRequest): Acquisition {
  return {
    taskId: request.taskId,
    teamId: caller.who.bound.team,
    agentId: request.agentId,
    runtime: request.runtime ?? null,
    seat: caller.seat,
    asserted: caller.known !== 'bound',
    leaseUntil: leaseEnd(tx.now, leaseMs),
  };
}

/** Tells of a fresh acquisition. One that pushed aside a holder who is alive after all undoes its whole unit. */
async function settle({ tx, renewals }: Unit, taken: StoredTask): Promise<StoredTask> {
  const before = taken.fence > 1 ? await findClaim(tx, taken.id, taken.fence - 1) : undefined;
  const pushed = before?.endedBy === null ? before : undefined;
  if (pushed) {
    const alive = renewals.leaseOf({ id: taken.id, fence: pushed.fence, seat: pushed.seat });
    if (alive !== undefined && alive > tx.now)
      throw claimConflict(asHeldBy(taken, pushed, alive), tx.now, false);
    await endClaim(tx, { id: taken.id, fence: pushed.fence }, 'takeover');
    await note(
      tx,
      taken,
      `${taken.assigneeAgentId} took this task over at ${at(tx.now)}: the lease of ${pushed.agentId} had run out.`,
    );
  }
  const kind = taken.awaited ? 'task.assigned' : 'task.claimed';
  const { fence, assigneeAgentId: agentId } = taken;
  tx.emit(told(taken, kind, { fence, agentId, takeover: pushed !== undefined }));
  return taken;
}

function asHeldBy(task: StoredTask, holder: PastClaim, leaseUntil: number): StoredTask {
  return {
    ...task,
    assigneeAgentId: holder.agentId,
    fence: holder.fence,
    claimedAt: holder.claimedAt,
    leaseUntil,
  };
}

/** The same name alone proves nothing here: a second session must not go on with the work of the first. */
function isOwnClaim(caller: Caller, task: StoredTask): boolean {
  return isClaimed(task) && caller.seat !== null && caller.seat === task.seat;
}
