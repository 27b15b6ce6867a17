import { silentLog, type Log } from '../../kernel/log.ts';
import type { Principal } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import { callerOf, type Caller } from '../../store/acting.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import { claim, type ClaimRequest, handOver, keepAlive, standingOf, type Heartbeat } from './claims.ts';
import { listHolders, type Holder } from './holders.ts';
import { move, type MoveRequest, release, takeUpAgain } from './moves.ts';
import { comment } from './narration.ts';
import { listPage, readDetail, requireTask, withSigns, type ListRequest } from './reading.ts';
import { createRenewals } from './renewals.ts';
import { findLatestClaimOfSeat, listClaimedBy } from './rows/claims.ts';
import { isClaimed } from './rules.ts';
import {
  DEFAULT_LEASE_MS,
  DEFAULT_LIMITS,
  DEFAULT_LONGEST_MS,
  type BoardLimits,
  type SeatWatch,
  type Settings,
} from './settings.ts';
import { sweep } from './sweep.ts';
import type { StoredTask, TaskDetail, TaskPage } from './task.ts';

/**
 * The board as other rooms see it. Its own tools and routes use the parts directly (`claims.ts`, `moves.ts`,
 * `creation.ts`, `evidence.ts`, `dependencies.ts`), on the same `settings`.
 */
export interface Board {
  readonly settings: Settings;
  list(q: Query, caller: Caller, request: ListRequest): Promise<TaskPage>;
  /** Reading one's own task is a sign of life, too. */
  get(q: Query, caller: Caller, request: Readonly<{ taskId: string; comments: number }>): Promise<TaskDetail>;
  keepAlive(tx: Tx, caller: Caller, taskId: string): Promise<Heartbeat>;
  /** For rooms that do tasks: taking, ending and telling of one in a transaction of theirs. */
  claim(tx: Tx, caller: Caller, request: ClaimRequest): Promise<void>;
  /** The holder goes on under another seat, with the same claim. Who does not hold the task hands nothing over. */
  handOver(tx: Tx, caller: Caller, request: Readonly<{ taskId: string; to: Caller }>): Promise<void>;
  release(tx: Tx, caller: Caller, taskId: string): Promise<void>;
  /** A person has it go on: what is over or in review can be claimed again. */
  takeUpAgain(tx: Tx, caller: Caller, taskId: string): Promise<void>;
  move(tx: Tx, caller: Caller, request: MoveRequest): Promise<void>;
  comment(tx: Tx, caller: Caller, request: Readonly<{ taskId: string; body: string }>): Promise<void>;
  /** The living claims among these tasks. */
  holders(q: Query, taskIds: readonly string[]): Promise<Holder[]>;
  /** The living claims of a caller: those of its seat, and those of the agent it is bound to. */
  heldBy(q: Query, who: Principal): Promise<Holder[]>;
  /** The agent as which this seat claimed the task and did not give it back: its further changes are attributed to it. */
  agentOfSeat(q: Query, caller: Caller, taskId: string): Promise<string | undefined>;
  /** Returns lapsed claims to todo; answers how many. */
  sweep(tx: Tx): Promise<number>;
  /** Writes the signs of life that are still in memory. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type BoardOptions = Readonly<{
  db: Database;
  /** How long a claim lives after its holder's last sign of life; 0: for ever. */
  leaseMs?: number;
  longestMs?: number;
  limits?: Partial<BoardLimits>;
  /** Who is here; without it every seat counts as gone once it is silent. */
  seats?: SeatWatch;
  /** How long signs of life may stay in memory. */
  flushMs?: number;
  log?: Log;
}>;

export function createBoard(options: BoardOptions): Board {
  const {
    db,
    leaseMs = DEFAULT_LEASE_MS,
    longestMs = DEFAULT_LONGEST_MS,
    limits = {},
    seats,
    log = silentLog,
  } = options;
  const { flushMs } = options;
  const renewals = createRenewals({ db, leaseMs, log, ...(flushMs === undefined ? {} : { flushMs }) });
  const settings: Settings = {
    leaseMs,
    longestMs,
    limits: { ...DEFAULT_LIMITS, ...limits },
    renewals,
    isLiving: async (q, seat) => (await seats?.isLiving(q, seat)) ?? false,
    now: () => db.now(),
  };
  seats?.onSign((seat, agoMs) => renewals.touchSeat(seat, agoMs));

  return {
    settings,
    list: (q, caller, request) => listPage(q, caller, request, db.now()),
    get: async (q, caller, { taskId, comments }) =>
      readDetail(q, caller, await touchIfHolder(q, settings, caller, taskId), comments),
    keepAlive: (tx, caller, taskId) => keepAlive(tx, settings, caller, taskId),
    async claim(tx, caller, request) {
      await claim(tx, settings, caller, request);
    },
    handOver: (tx, caller, request) => handOver(tx, settings, caller, request),
    async release(tx, caller, taskId) {
      await release(tx, settings, caller, taskId);
    },
    takeUpAgain: (tx, caller, taskId) => takeUpAgain(tx, settings, caller, taskId),
    async move(tx, caller, request) {
      await move(tx, settings, caller, request);
    },
    async comment(tx, caller, { taskId, body }) {
      const task = await touchIfHolder(tx, settings, caller, taskId);
      await comment(tx, task, {
        authorType: 'agent',
        authorAgentId: caller.agent ?? null,
        body: redact(body),
      });
    },
    holders: (q, taskIds) => listHolders(q, renewals, taskIds, db.now()),
    heldBy: async (q, who) => {
      const mine = await listClaimedBy(q, callerOf({ who, via: 'tool' }));
      return listHolders(q, renewals, mine, db.now());
    },
    async agentOfSeat(q, caller, taskId) {
      if (caller.seat === null) return undefined;
      const claim = await findLatestClaimOfSeat(q, taskId, caller.seat);
      return claim?.endedBy === 'release' ? undefined : claim?.agentId;
    },
    sweep: (tx) => sweep(tx, settings),
    flush: () => renewals.flush(),
    close: () => renewals.close(),
  };
}

/** Reading or commenting on one's own task is a sign of life. */
export async function touchIfHolder(
  q: Query,
  settings: Settings,
  caller: Caller,
  taskId: string,
): Promise<StoredTask> {
  const { renewals } = settings;
  const task = withSigns(await requireTask(q, caller.who, taskId), renewals);
  const isHolder = isClaimed(task) && (await standingOf(q, settings, caller, task)) === 'holder';
  if (isHolder) renewals.touchClaim(task.id, task.fence);
  return isHolder ? withSigns(task, renewals) : task;
}
