import { silentLog, type Log } from '../../kernel/log.ts';
import type { Principal } from '../../kernel/principal.ts';
import { type Call, callerOf, createActing, type Caller } from '../../store/calls.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import type { TaskLink } from './detail.ts';
import { type BranchedTask, listBranched } from './rows/branched.ts';
import { listClaimedBy } from './rows/claims.ts';
import { listLabels } from './rows/labels.ts';
import {
  DEFAULT_LEASE_MS,
  DEFAULT_LIMITS,
  DEFAULT_LONGEST_MS,
  type AskCosts,
  type BoardLimits,
  type SeatWatch,
  type Settings,
} from './settings.ts';
import type { TeamWish } from './rules.ts';
import { type ListRequest, type NewTask, presentTask, type StoredTask, type Task } from './task.ts';
import type { BoardSight, Unit } from './unit.ts';
import {
  agentOfSeat,
  assign,
  claim,
  claimNext,
  handOver,
  heartbeat,
  type Heartbeat,
  keepAlive,
} from './work/claims.ts';
import { addComment, type CommentRequest, touchIfHolder } from './work/comments.ts';
import { create, drop } from './work/creation.ts';
import { link, unlink } from './work/dependencies.ts';
import { addCheck, submitEvidence, type CheckRequest, type EvidenceRequest } from './work/evidence.ts';
import { shownTo } from './work/find.ts';
import { listHolders, type Holder } from './work/holders.ts';
import { finishLanded, move, type MoveRequest, release, takeUpAgain, unblock } from './work/moves.ts';
import { listPage, type OfTask, readDetail, readEvidence } from './work/pages.ts';
import { requireName } from './work/refusals.ts';
import { createRenewals } from './work/renewals.ts';
import { sweep } from './work/sweep.ts';
import { update, type Update } from './work/update.ts';

export { STATUSES, type Task, WORDS } from './task.ts';
export type { Holder as HeldTask } from './work/holders.ts';

/** The board as it is served: what agents are told of themselves may come from other rooms, too. */
export type BoardRoom = Board & Readonly<{ followBudgets(left: AskBudgets): void }>;

/** What a window of its agent still holds. */
export type BudgetLeft = Readonly<{
  agent: string;
  window: string;
  tokens: number;
  dollars: number;
  limit: Readonly<{ tokens: number | null; dollars: number | null }> | null;
  resetsAt: string | null;
}>;
export type AskBudgets = (q: Query, caller: Caller) => Promise<readonly BudgetLeft[]>;

/** The board: the only way in, for its own operations as for other rooms. */
export interface Board {
  /** As a caller sees it in a snapshot. */
  at(q: Query, caller: Caller): BoardView;
  /** As a caller changes it in a transaction. */
  in(tx: Tx, caller: Caller): BoardDesk;
  /** The same, for the parts of this room that only a hub loads. */
  sight(q: Query, caller: Caller): BoardSight;
  unit(tx: Tx, caller: Caller): Unit;
  /** A sign of life: a transaction only where the claim has to be adopted first. */
  heartbeat(call: Call, taskId: string): Promise<Heartbeat>;
  /** The living claims among these tasks. */
  holders(q: Query, taskIds: readonly string[]): Promise<Holder[]>;
  /** The living claims of a caller: those of its seat, and those of the agent it is bound to. */
  heldBy(q: Query, who: Principal): Promise<Holder[]>;
  /** Open tasks that say which branch they are done on. */
  branches(q: Query): Promise<BranchedTask[]>;
  /** Who knows what runs cost says so here. */
  followCosts(ask: AskCosts): void;
  /** The seat gave a sign of life, which counts from so long ago: everything it holds lives on. */
  touchSeat(seat: string, agoMs?: number): void;
  /** Returns lapsed claims to todo; answers how many. */
  sweep(tx: Tx): Promise<number>;
  /** Writes the signs of life that are still in memory. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type BoardView = ReturnType<typeof viewOf>;
export type BoardDesk = ReturnType<typeof deskOf>;

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
  const { db, leaseMs = DEFAULT_LEASE_MS, longestMs = DEFAULT_LONGEST_MS, seats, flushMs } = options;
  const { limits, log = silentLog } = options;
  const renewals = createRenewals({ db, leaseMs, log, ...(flushMs !== undefined && { flushMs }) });
  let costs: AskCosts | undefined;
  const settings: Settings = {
    leaseMs,
    longestMs,
    limits: { ...DEFAULT_LIMITS, ...limits },
    renewals,
    isLiving: async (q, seat) => (await seats?.isLiving(q, seat)) ?? false,
    costsOfRuns: async (q, among) => (await costs?.(q, among)) ?? new Map(),
  };
  const acting = createActing(db);
  seats?.onSign(renewals.touchSeat);

  const sight = (q: Query, caller: Caller): BoardSight => ({ ...settings, q, caller, now: db.now() });
  const unit = (tx: Tx, caller: Caller): Unit => ({ ...settings, q: tx, tx, caller, now: tx.now });
  return {
    at: (q, caller) => viewOf(sight(q, caller)),
    in: (tx, caller) => deskOf(unit(tx, caller)),
    sight,
    unit,
    heartbeat: async (call, taskId) =>
      (await acting.look(call, (q, caller) => heartbeat(sight(q, caller), taskId))) ??
      acting.change(call, (tx, caller) => keepAlive(unit(tx, caller), taskId)),
    holders: (q, taskIds) => listHolders({ q, renewals, now: db.now() }, taskIds),
    heldBy: (q, who) => viewOf(sight(q, callerOf({ who, via: 'tool' }))).held(),
    branches: listBranched,
    followCosts: (ask) => void (costs = ask),
    touchSeat: renewals.touchSeat,
    sweep: (tx) => sweep(tx, settings),
    flush: () => renewals.flush(),
    close: () => renewals.close(),
  };
}

/** Newest comments shown with a task, unless asked otherwise. */
const COMMENTS = 200;
type DetailRequest = Readonly<{ taskId: string; commentLimit?: number | undefined }>;
type ClaimRequest = Readonly<{ taskId: string; agentId?: string | undefined; runtime?: string | undefined }>;
type NextRequest = Omit<ClaimRequest, 'taskId'> & Pick<TeamWish, 'teamId' | 'orNone'>;

function viewOf(sight: BoardSight) {
  const { q, caller } = sight;
  return {
    caller,
    list: (request: ListRequest) => listPage(sight, request),
    /** Reading one's own task is a sign of life, too. */
    get: async ({ taskId, commentLimit = COMMENTS }: DetailRequest) =>
      readDetail(sight, await touchIfHolder(sight, taskId), commentLimit),
    evidence: (request: OfTask) => readEvidence(sight, request),
    labels: (taskId: string) => listLabels(q, taskId),
    held: async () => listHolders(sight, await listClaimedBy(q, caller)),
    agentOfSeat: (taskId: string) => agentOfSeat(sight, taskId),
  };
}

function deskOf(unit: Unit) {
  const { caller } = unit;
  const shown = async (work: Promise<StoredTask>): Promise<Task> => shownTo(caller, await work);
  const named = <T extends Readonly<{ agentId?: string | undefined }>>(request: T) => ({
    ...request,
    agentId: request.agentId ?? requireName(caller),
  });
  return {
    ...viewOf(unit),
    create: (request: NewTask) => shown(create(unit, request)),
    update: (request: Update) => shown(update(unit, request)),
    move: (request: MoveRequest) => shown(move(unit, request)),
    unblock: (taskId: string) => shown(unblock(unit, taskId)),
    drop: (taskId: string) => shown(drop(unit, taskId)),
    claim: async (request: ClaimRequest) => shown(claim(unit, named(request))),
    assign: async (request: ClaimRequest) => shown(assign(unit, named(request))),
    /** Null: nothing is ready. */
    async claimNext(request: NextRequest): Promise<Task | null> {
      const task = await claimNext(unit, named(request));
      return task ? presentTask(task, true) : null;
    },
    release: (taskId: string) => shown(release(unit, taskId)),
    keepAlive: (taskId: string) => keepAlive(unit, taskId),
    handOver: (request: Readonly<{ taskId: string; to: Caller }>) => handOver(unit, request),
    /** A person has it go on: what is over or in review can be claimed again. */
    takeUpAgain: (taskId: string) => takeUpAgain(unit, taskId),
    /** The hub landed its work. */
    finishLanded: (taskId: string) => finishLanded(unit, taskId),
    comment: (request: CommentRequest) => addComment(unit, request),
    link: (request: TaskLink) => link(unit, request),
    unlink: (request: TaskLink) => unlink(unit, request),
    addCheck: (request: CheckRequest) => addCheck(unit, request),
    submitEvidence: (request: EvidenceRequest) => submitEvidence(unit, request),
  };
}
