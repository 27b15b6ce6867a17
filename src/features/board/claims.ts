import type { Caller } from '../../store/acting.ts';
import type { Query, Tx } from '../../store/database.ts';
import { at, note, tell } from './narration.ts';
import { requireTask, withSigns } from './reading.ts';
import { claimConflict, claimRequired, notClaimed, notReady, staleFence } from './refusals.ts';
import {
  claimTask,
  endClaim,
  findClaim,
  findLatestClaimOfSeat,
  findNextFree,
  findNextLapsed,
  renewTask,
  seizeTask,
} from './rows/claims.ts';
import type { Acquisition, Candidate, NextFilter, PastClaim } from './rows/claims.ts';
import { listOpenDependencies } from './rows/dependencies.ts';
import { isClaimed, judgeCaller, leaseEnd, type Standing } from './rules.ts';
import type { Settings } from './settings.ts';
import type { StoredTask } from './task.ts';

/** Taking, keeping and losing a claim. A claim without a lease and a fence does not exist. */

export type ClaimRequest = Readonly<{ taskId: string; agentId: string; runtime?: string | undefined }>;

/** Most open dependencies named in a refusal. */
const NAMED = 20;

export async function standingOf(q: Query, caller: Caller, task: StoredTask, now: number): Promise<Standing> {
  const seatClaim = caller.seat !== null && task.fence > 0 ? await seatClaimOf(q, caller.seat, task) : undefined;
  return judgeCaller(task, { agent: caller.agent, seatClaim, fence: caller.fence }, now);
}

async function seatClaimOf(q: Query, seat: string, task: StoredTask): Promise<Pick<PastClaim, 'fence' | 'endedBy'> | undefined> {
  return task.seat === seat ? { fence: task.fence, endedBy: null } : findLatestClaimOfSeat(q, task.id, seat);
}

/** Planning around a task needs no claim, but who names one must hold it. */
export function refuseStaleFence(task: StoredTask, caller: Caller, now: number): void {
  if (caller.fence === undefined) return;
  if (judgeCaller(task, { agent: undefined, seatClaim: undefined, fence: caller.fence }, now) !== 'holder')
    throw staleFence('update', task, now);
}

export async function claim(tx: Tx, settings: Settings, caller: Caller, request: ClaimRequest): Promise<StoredTask> {
  const taken = await claimTask(tx, acquisition(tx, settings, caller, request));
  if (!taken) throw await explainConflict(tx, settings, caller, request.taskId);
  return settle(tx, settings, taken);
}

export type NextRequest = Omit<ClaimRequest, 'taskId'> & Readonly<{ teamId?: string | undefined }>;

/** The best ready task, or undefined when nothing is ready. Each turn takes a task or finds one less, so the loop ends. */
export async function claimNext(tx: Tx, settings: Settings, caller: Caller, request: NextRequest): Promise<StoredTask | undefined> {
  const filter = { teamId: caller.who.bound.team ?? request.teamId, runtime: request.runtime };
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
export async function take(tx: Tx, settings: Settings, caller: Caller, task: StoredTask): Promise<StoredTask> {
  const agentId = caller.agent!;
  const taken = await seizeTask(tx, acquisition(tx, settings, caller, { taskId: task.id, agentId }), task);
  if (!taken) throw notReady('status change', task, await listOpenDependencies(tx, task.id, NAMED), tx.now);
  return settle(tx, settings, taken);
}

export type Heartbeat = Readonly<{ taskId: string; fence: number; leaseUntil: number | null }>;

/** A sign of life and nothing else; only the holder can give one. */
export async function heartbeat(q: Query, settings: Settings, caller: Caller, taskId: string, now: number): Promise<Heartbeat> {
  const task = withSigns(await requireTask(q, caller.who, taskId), settings.renewals);
  const standing = await standingOf(q, caller, task, now);
  if (standing === 'stale' || standing === 'other') throw staleFence('heartbeat', task, now);
  if (!isClaimed(task)) throw notClaimed('heartbeat', task, now);
  if (standing === 'unnamed') throw claimRequired('heartbeat', { taskId });
  settings.renewals.touchClaim(task.id, task.fence);
  return { taskId, fence: task.fence, leaseUntil: task.leaseUntil === null ? null : leaseEnd(now, settings.leaseMs) };
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
    if (alive !== undefined && alive > tx.now) throw claimConflict(asHeldBy(taken, pushed, alive), tx.now, false);
    await endClaim(tx, { id: taken.id, fence: pushed.fence }, 'takeover');
    await note(tx, taken, `${taken.assigneeAgentId} took this task over at ${at(tx.now)}: the lease of ${pushed.agentId} had run out.`);
  }
  tell(tx, taken, 'task.claimed', { fence: taken.fence, agentId: taken.assigneeAgentId, takeover: pushed !== undefined });
  return taken;
}

function asHeldBy(task: StoredTask, holder: PastClaim, leaseUntil: number): StoredTask {
  return { ...task, assigneeAgentId: holder.agentId, fence: holder.fence, claimedAt: holder.claimedAt, leaseUntil };
}

async function explainConflict(tx: Tx, settings: Settings, caller: Caller, taskId: string): Promise<Error> {
  const task = withSigns(await requireTask(tx, caller.who, taskId), settings.renewals);
  const waitsFor = isClaimed(task) || task.status !== 'todo' ? [] : await listOpenDependencies(tx, taskId, NAMED);
  if (waitsFor.length > 0) return notReady('claim', task, waitsFor, tx.now);
  return claimConflict(task, tx.now, isOwnClaim(caller, task));
}

/** The same name alone proves nothing here: a second session must not go on with the work of the first. */
function isOwnClaim(caller: Caller, task: StoredTask): boolean {
  if (!isClaimed(task)) return false;
  return (caller.seat !== null && caller.seat === task.seat) || (caller.known === 'bound' && caller.agent === task.assigneeAgentId);
}
