import type { Event } from '../../kernel/event.ts';
import { silentLog, type Log } from '../../kernel/log.ts';
import { redact } from '../../kernel/redact.ts';
import { HubError } from '../../kernel/errors.ts';
import type { Principal } from '../../kernel/principal.ts';
import { seatOf } from '../../kernel/seat.ts';
import { callerOf, type Caller } from '../../store/acting.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import { eventsAbout } from '../../store/events.ts';
import { claim, claimNext, heartbeat, standingOf, type ClaimRequest, type Heartbeat, type NextRequest } from './claims.ts';
import { create, drop, edit, type NewTask, type TaskEdit } from './creation.ts';
import { link, unlink } from './dependencies.ts';
import { addCheck, submitEvidence, type CheckRequest, type EvidenceRequest } from './evidence.ts';
import { listHolders, type Holder } from './holders.ts';
import { move, release, unblock, type MoveRequest } from './moves.ts';
import { comment } from './narration.ts';
import { listPage, readDetail, requireTask, withSigns, type ListRequest } from './reading.ts';
import { createRenewals } from './renewals.ts';
import { findLatestClaimOfSeat, listClaimedBy } from './rows/claims.ts';
import { listComments } from './rows/comments.ts';
import { listEvidence } from './rows/evidence.ts';
import { isClaimed } from './rules.ts';
import { DEFAULT_LEASE_MS, DEFAULT_LIMITS, type BoardLimits } from './settings.ts';
import { sweep } from './sweep.ts';
import {
  presentTask,
  type AuthorType,
  type Check,
  type Comment,
  type Evidence,
  type Link,
  type Task,
  type TaskDetail,
  type TaskPage,
} from './task.ts';

/** What one can do on the board. Methods that change something take the transaction; façades open it. */
export interface Board {
  list(q: Query, who: Principal, request: ListRequest): Promise<TaskPage>;
  get(q: Query, caller: Caller, taskId: string, commentLimit: number): Promise<TaskDetail>;
  comments(q: Query, who: Principal, taskId: string, page: Readonly<{ before?: string; limit: number }>): Promise<Comment[]>;
  evidence(q: Query, who: Principal, taskId: string, limit: number): Promise<Evidence[]>;
  history(q: Query, who: Principal, taskId: string, page: Readonly<{ after: number; limit: number }>): Promise<Event[]>;
  heartbeat(q: Query, caller: Caller, taskId: string): Promise<Heartbeat>;
  /** The living claims among these tasks. */
  holders(q: Query, taskIds: readonly string[]): Promise<Holder[]>;
  /** The living claims of a caller: those of its seat, and those of the agent it is bound to. */
  heldBy(q: Query, who: Principal): Promise<Holder[]>;
  create(tx: Tx, caller: Caller, request: NewTask): Promise<Task>;
  edit(tx: Tx, caller: Caller, taskId: string, request: TaskEdit): Promise<Task>;
  drop(tx: Tx, caller: Caller, taskId: string): Promise<Task>;
  claim(tx: Tx, caller: Caller, request: ClaimRequest): Promise<Task>;
  claimNext(tx: Tx, caller: Caller, request: NextRequest): Promise<Task | undefined>;
  release(tx: Tx, caller: Caller, taskId: string): Promise<Task>;
  move(tx: Tx, caller: Caller, request: MoveRequest): Promise<Task>;
  block(tx: Tx, caller: Caller, taskId: string): Promise<Task>;
  unblock(tx: Tx, caller: Caller, taskId: string): Promise<Task>;
  comment(tx: Tx, caller: Caller, request: CommentRequest): Promise<Comment>;
  link(tx: Tx, caller: Caller, request: Link): Promise<Link>;
  unlink(tx: Tx, caller: Caller, request: Link): Promise<Link>;
  addCheck(tx: Tx, caller: Caller, request: CheckRequest): Promise<Check>;
  submitEvidence(tx: Tx, caller: Caller, request: EvidenceRequest): Promise<Evidence>;
  /** Returns lapsed claims to todo; answers how many. */
  sweep(tx: Tx): Promise<number>;
  /** Any call through a seat keeps alive what that seat holds. */
  touchSeat(who: Principal): void;
  /** The agent as which this seat claimed the task and did not give it back: its further changes are attributed to it. */
  agentOfSeat(q: Query, caller: Caller, taskId: string): Promise<string | undefined>;
  /** Writes the signs of life that are still in memory. */
  flush(): Promise<void>;
  close(): Promise<void>;
}

export type CommentRequest = Readonly<{ taskId: string; body: string; authorType: AuthorType }>;

export type BoardOptions = Readonly<{
  db: Database;
  /** How long a claim lives after its holder's last sign of life; 0: for ever. */
  leaseMs?: number;
  limits?: Partial<BoardLimits>;
  /** How long signs of life may stay in memory. */
  flushMs?: number;
  log?: Log;
}>;

export function createBoard({ db, leaseMs = DEFAULT_LEASE_MS, limits = {}, flushMs, log = silentLog }: BoardOptions): Board {
  const renewals = createRenewals({ db, leaseMs, log, ...(flushMs === undefined ? {} : { flushMs }) });
  const settings = { leaseMs, limits: { ...DEFAULT_LIMITS, ...limits }, renewals };

  /** Reading or commenting on one's own task is a sign of life, too. */
  async function touchIfHolder(q: Query, caller: Caller, taskId: string, now: number) {
    const task = withSigns(await requireTask(q, caller.who, taskId), renewals);
    const isHolder = isClaimed(task) && (await standingOf(q, caller, task, now)) === 'holder';
    if (isHolder) renewals.touchClaim(task.id, task.fence);
    return isHolder ? withSigns(task, renewals) : task;
  }

  return {
    list: (q, who, request) => listPage(q, who, request, db.now()),
    get: async (q, caller, taskId, commentLimit) => readDetail(q, await touchIfHolder(q, caller, taskId, db.now()), commentLimit),
    async comments(q, who, taskId, page) {
      await requireTask(q, who, taskId);
      return listComments(q, taskId, page);
    },
    evidence: async (q, who, taskId, limit) => listEvidence(q, await requireTask(q, who, taskId), limit),
    async history(q, who, taskId, page) {
      await requireTask(q, who, taskId);
      return eventsAbout(q, taskId, page);
    },
    heartbeat: (q, caller, taskId) => heartbeat(q, settings, caller, taskId, db.now()),
    holders: (q, taskIds) => listHolders(q, renewals, taskIds, db.now()),
    heldBy: async (q, who) => listHolders(q, renewals, await listClaimedBy(q, callerOf({ who, via: 'tool' })), db.now()),
    create: async (tx, caller, request) => presentTask(await create(tx, settings, caller, request)),
    edit: async (tx, caller, taskId, request) => presentTask(await edit(tx, settings, caller, taskId, request)),
    drop: async (tx, caller, taskId) => presentTask(await drop(tx, settings, caller, taskId)),
    claim: async (tx, caller, request) => presentTask(await claim(tx, settings, caller, request)),
    async claimNext(tx, caller, request) {
      const task = await claimNext(tx, settings, caller, request);
      return task && presentTask(task);
    },
    release: async (tx, caller, taskId) => presentTask(await release(tx, settings, caller, taskId)),
    move: async (tx, caller, request) => presentTask(await move(tx, settings, caller, request, 'status change')),
    block: async (tx, caller, taskId) => presentTask(await move(tx, settings, caller, { taskId, to: 'blocked' }, 'block')),
    unblock: async (tx, caller, taskId) => presentTask(await unblock(tx, settings, caller, taskId)),
    async comment(tx, caller, { taskId, body, authorType }) {
      if (authorType !== 'agent' && caller.who.bound.agent !== undefined) throw notYourVoice(caller.who.bound.agent);
      const task = await touchIfHolder(tx, caller, taskId, tx.now);
      return comment(tx, task, { authorType, authorAgentId: caller.agent ?? null, body: redact(body) });
    },
    link,
    unlink,
    addCheck,
    submitEvidence: (tx, caller, request) => submitEvidence(tx, settings, caller, request),
    sweep: (tx) => sweep(tx, settings),
    touchSeat(who) {
      const seat = seatOf(who);
      if (seat !== null) renewals.touchSeat(seat);
    },
    async agentOfSeat(q, caller, taskId) {
      if (caller.seat === null) return undefined;
      const claim = await findLatestClaimOfSeat(q, taskId, caller.seat);
      return claim?.endedBy === 'release' ? undefined : claim?.agentId;
    },
    flush: () => renewals.flush(),
    close: () => renewals.close(),
  };
}

function notYourVoice(agent: string): HubError {
  return new HubError('forbidden', `The agent ${agent} cannot write as a person or as the system.`, {
    hint: "Leave authorType out: it is 'agent'.",
  });
}
