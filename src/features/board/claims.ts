import type { Caller } from '../../store/acting.ts';
import type { Query, Tx } from '../../store/database.ts';
import { at, note, tell } from './narration.ts';
import { requireLocked, requireTask, withSigns } from './reading.ts';
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
} from './rows/claims.ts';
import type { Acquisition, Candidate, NextFilter, PastClaim } from './rows/claims.ts';
import { listOpenDependencies } from './rows/dependencies.ts';
import { isHeld } from './rows/imports.ts';
import { isClaimed, isLapsed, judgeCaller, leaseEnd, teamFilter, type Standing } from './rules.ts';
import type { Settings } from './settings.ts';
import type { StoredTask } from './task.ts';

/**
 * Taking, giving, keeping and losing a claim. A claim without a lease and a fence does not exist. Who holds a claim is a
 * seat, under the documented assignee's name; without a connection it is the name alone.
 */

export type ClaimRequest = Readonly<{ taskId: string; agentId: string; runtime?: string | undefined }>;

/** Most open dependencies named in a refusal. */
const NAMED = 20;

export async function standingOf(
  q: Query,
  settings: Settings,
  caller: Caller,
  task: StoredTask,
): Promise<Standing> {
  const { agent, known, seat, fence, isPerson, who } = caller;
  const seatClaim = seat !== null && task.fence > 0 ? await seatClaimOf(q, seat, task) : undefined;
  const isNamesake = agent !== undefined && agent === task.assigneeAgentId;
  const isHolderLiving = isNamesake && task.seat !== null && (await settings.isLiving(q, task.seat));
  const isNamed = (agent ?? who.name) !== undefined;
  const signs = { agent, known, isNamed, hasSeat: seat !== null, isPerson, seatClaim, fence, isHolderLiving };
  return judgeCaller(task, signs, nowIn(q, settings));
}

/** One moment for a whole unit; a snapshot has none of its own. */
function nowIn(q: Query | Tx, settings: Settings): number {
  return 'now' in q ? q.now : settings.now();
}

async function seatClaimOf(
  q: Query,
  seat: string,
  task: StoredTask,
): Promise<Pick<PastClaim, 'fence' | 'endedBy'> | undefined> {
  return task.seat === seat ? { fence: task.fence, endedBy: null } : findLatestClaimOfSeat(q, task.id, seat);
}

/** Planning around a task needs no claim, but who names one must hold it. */
export function refuseStaleFence(task: StoredTask, caller: Caller, now: number): void {
  if (caller.fence === undefined) return;
  if (task.assigneeAgentId === null || caller.fence !== task.fence) throw staleFence('update', task, now);
}

/** The assignee of a task that waits for it claims it by taking it up. */
export async function claim(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  request: ClaimRequest,
): Promise<StoredTask> {
  const wanted = acquisition(tx, settings, caller, request);
  const taken = await claimTask(tx, wanted);
  if (taken) return settle(tx, settings, taken);
  const task = withSigns(await requireLocked(tx, caller.who, request.taskId), settings.renewals);
  if (task.awaited && task.assigneeAgentId === request.agentId && !isLapsed(task, tx.now)) {
    return adopt(tx, settings, caller, task);
  }
  return settle(tx, settings, await claimHeld(tx, caller, { task, wanted }));
}

/** Assigning to oneself is claiming. Otherwise the claim waits for its assignee, and its assigner holds nothing. */
export async function assign(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  request: ClaimRequest,
): Promise<StoredTask> {
  if (caller.agent === request.agentId) return claim(tx, settings, caller, request);
  const given: Acquisition = {
    ...acquisition(tx, settings, caller, request),
    seat: null,
    asserted: true,
    leaseUntil: leaseEnd(tx.now, settings.leaseMs === 0 ? 0 : settings.longestMs),
    assigner: { name: caller.agent ?? caller.who.name ?? null, seat: caller.seat },
  };
  const assigned = await claimTask(tx, given);
  if (assigned) return settle(tx, settings, assigned);
  const task = withSigns(await requireLocked(tx, caller.who, request.taskId), settings.renewals);
  return settle(tx, settings, await claimHeld(tx, caller, { task, wanted: given }));
}

/**
 * The second look at a task that was not to be had. PostgreSQL judged the first try by what was committed
 * when it began; a release, a reopening or the end of a dependency may have been on its way. The row is held
 * now, so each turn either takes it or finds what it waits for, and a refusal is true. Proven by
 * test/contract/board-races.test.ts.
 */
async function claimHeld(
  tx: Tx,
  caller: Caller,
  { task, wanted }: Readonly<{ task: StoredTask; wanted: Acquisition }>,
): Promise<StoredTask> {
  while (task.status === 'todo' && !isClaimed(task)) {
    await refuseUnready(tx, 'claim', task);
    const taken = await claimTask(tx, wanted);
    if (taken) return taken;
  }
  throw claimConflict(task, tx.now, isOwnClaim(caller, task));
}

async function refuseUnready(tx: Tx, verb: Verb, task: StoredTask): Promise<void> {
  if (await isHeld(tx, task.id)) throw notWhole(verb, task, tx.now);
  const waitsFor = await listOpenDependencies(tx, task.id, NAMED);
  if (waitsFor.length > 0) throw notReady(verb, task, waitsFor, tx.now);
}

export type NextRequest = Omit<ClaimRequest, 'taskId'> & Readonly<{ teamId?: string | undefined }>;

/** What waits for this agent, else the best ready task, or undefined when nothing is ready. Each turn takes a task or finds one less. */
export async function claimNext(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  request: NextRequest,
): Promise<StoredTask | undefined> {
  const filter = { ...teamFilter(caller, request.teamId), runtime: request.runtime };
  const mine = await findNextAwaited(tx, request.agentId, filter);
  if (mine) return adopt(tx, settings, caller, mine);
  for (;;) {
    const next = first(await findNextFree(tx, filter), await nextAbandoned(tx, settings, filter));
    if (!next) return undefined;
    const taken = await claimTask(tx, acquisition(tx, settings, caller, { ...request, taskId: next.id }));
    if (taken) return settle(tx, settings, taken);
  }
}

/** A lapsed claim whose holder gave a sign of life that is not written yet is alive: it is renewed and passed over. */
async function nextAbandoned(tx: Tx, settings: Settings, filter: NextFilter): Promise<Candidate | undefined> {
  for (;;) {
    const lapsed = await findNextLapsed(tx, filter);
    const alive = lapsed && settings.renewals.leaseOf(lapsed);
    if (!lapsed || alive === undefined || alive <= tx.now) return lapsed;
    await renewTask(tx, lapsed.id, lapsed.fence, alive);
  }
}

function first(free: Candidate | undefined, lapsed: Candidate | undefined): Candidate | undefined {
  return free && lapsed ? (lapsed.order < free.order ? lapsed : free) : (free ?? lapsed);
}

/** For a task the unit has locked and judged: the caller becomes its holder. */
export async function take(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  task: StoredTask,
): Promise<StoredTask> {
  const agentId = caller.agent ?? caller.who.name!;
  const wanted = acquisition(tx, settings, caller, { taskId: task.id, agentId });
  for (;;) {
    const taken = await seizeTask(tx, wanted, task);
    if (taken) return settle(tx, settings, taken);
    await refuseUnready(tx, 'status change', task);
  }
}

/** The claim stays what it is, with its fence: whoever it waited for, or whom it was left to, sits in its seat now. */
export async function adopt(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  task: StoredTask,
): Promise<StoredTask> {
  const leaseUntil = leaseEnd(tx.now, settings.leaseMs);
  const adopted = await adoptTask(tx, task, { seat: caller.seat, leaseUntil });
  if (task.awaited) tell(tx, adopted, 'task.taken_up', { fence: task.fence, agentId: task.assigneeAgentId });
  return adopted;
}

export async function handOver(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  { taskId, to }: Readonly<{ taskId: string; to: Caller }>,
): Promise<void> {
  const task = withSigns(await requireLocked(tx, caller.who, taskId), settings.renewals);
  if ((await standingOf(tx, settings, caller, task)) === 'holder') await adopt(tx, settings, to, task);
}

/** Lets whoever may work on a task in whatever way its standing allows; refuses everybody else. */
export async function holdForWork(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  { task, standing }: Readonly<{ task: StoredTask; standing: Standing }>,
): Promise<StoredTask> {
  if (standing === 'awaited' || standing === 'heir') return adopt(tx, settings, caller, task);
  return standing === 'successor' ? take(tx, settings, caller, task) : task;
}

export type Heartbeat = Readonly<{ taskId: string; fence: number; leaseUntil: number | null }>;

/** A sign of life and nothing else; only the holder can give one. Undefined: the claim has to be adopted first, which is a change. */
export async function heartbeat(
  q: Query,
  settings: Settings,
  caller: Caller,
  taskId: string,
): Promise<Heartbeat | undefined> {
  const now = nowIn(q, settings);
  const task = withSigns(await requireTask(q, caller.who, taskId), settings.renewals);
  const standing = await standingOf(q, settings, caller, task);
  if (standing === 'stale') throw staleFence('heartbeat', task, now);
  if (!isClaimed(task)) throw notClaimed('heartbeat', task, now);
  if (standing === 'stranger' || standing === 'successor') throw notHolder('heartbeat', task, now);
  if (standing === 'awaited' || standing === 'heir') return undefined;
  if (standing !== 'holder') throw claimRequired('heartbeat', { taskId });
  settings.renewals.touchClaim(task.id, task.fence);
  return {
    taskId,
    fence: task.fence,
    leaseUntil: task.leaseUntil === null ? null : leaseEnd(now, settings.leaseMs),
  };
}

/**
 * The same where something may be changed on the way. The row is held first: what is judged is what is
 * adopted.
 */
export async function keepAlive(
  tx: Tx,
  settings: Settings,
  caller: Caller,
  taskId: string,
): Promise<Heartbeat> {
  const task = await requireLocked(tx, caller.who, taskId);
  const beat = await heartbeat(tx, settings, caller, taskId);
  if (beat) return beat;
  const { fence, leaseUntil } = await adopt(tx, settings, caller, task);
  return { taskId, fence, leaseUntil };
}

export function acquisition(tx: Tx, settings: Settings, caller: Caller, request: ClaimRequest): Acquisition {
  return {
    taskId: request.taskId,
    teamId: caller.who.bound.team,
    agentId: request.agentId,
    runtime: request.runtime ?? null,
    seat: caller.seat,
    asserted: caller.known !== 'bound',
    leaseUntil: leaseEnd(tx.now, settings.leaseMs),
  };
}

/** Tells of a fresh acquisition. One that pushed aside a holder who is alive after all undoes its whole unit. */
async function settle(tx: Tx, settings: Settings, taken: StoredTask): Promise<StoredTask> {
  const before = taken.fence > 1 ? await findClaim(tx, taken.id, taken.fence - 1) : undefined;
  const pushed = before?.endedBy === null ? before : undefined;
  if (pushed) {
    const alive = settings.renewals.leaseOf({ id: taken.id, fence: pushed.fence, seat: pushed.seat });
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
  tell(tx, taken, kind, {
    fence: taken.fence,
    agentId: taken.assigneeAgentId,
    takeover: pushed !== undefined,
  });
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
