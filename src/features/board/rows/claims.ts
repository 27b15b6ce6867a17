// SQL of claims. Each way to take a task is one conditional statement, so of two callers one gets it.
import type { Principal } from '../../../kernel/principal.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import {
  flag,
  named,
  number,
  type RecordOf,
  type StoredRow,
  table,
  text,
  textOrNull,
} from '../../../store/table.ts';
import type { StoredTask } from '../task.ts';
import { isFree, isReady } from './ready.ts';
import { tasks } from './tasks.ts';

export type Acquisition = Readonly<{
  taskId: string;
  /** Only a task of this team; undefined: of any. */
  teamId: string | undefined;
  agentId: string;
  runtime: string | null;
  seat: string | null;
  asserted: boolean;
  leaseUntil: number | null;
  /** Given by somebody else: the claim waits for its assignee. */
  assigner?: Readonly<{ name: string | null; seat: string | null }>;
}>;

/** How a claim ended. `release`: its holder gave it back; `revoke`: somebody else did; `lapse`: the lease ran out. */
export type ClaimEnd = 'release' | 'revoke' | 'lapse' | 'takeover' | 'done' | 'cancelled' | 'dropped';

/**
 * The claim is this one statement: of all callers at the same moment exactly one finds the row still free (or
 * lapsed) and ready. PostgreSQL re-checks the condition on the row it waited for. Proven by the race tests.
 */
export function claimTask(tx: Tx, claim: Acquisition): Promise<StoredTask | undefined> {
  return acquire(tx, claim, sql`${isFree(tx.now)} and ${isReady}`);
}

/** For a row the unit has locked and judged already: a parked or lapsed claim passes to the caller. */
export function seizeTask(
  tx: Tx,
  claim: Acquisition,
  judged: Readonly<{ fence: number }>,
): Promise<StoredTask | undefined> {
  return acquire(tx, claim, sql`fence = ${judged.fence} and ${isReady}`);
}

async function acquire(tx: Tx, claim: Acquisition, condition: Sql): Promise<StoredTask | undefined> {
  const row = await tx.get<StoredRow>(sql`
    update tasks
    set status = 'in_progress',
      assignee_agent_id = ${claim.agentId},
      assignee_runtime = coalesce(cast(${claim.runtime} as text), assignee_runtime),
      fence = fence + 1,
      claim_seat = ${claim.seat},
      claimed_at = ${tx.now},
      lease_until = ${claim.leaseUntil},
      awaited = ${claim.assigner ? 1 : 0},
      assigned_by = ${claim.assigner?.name ?? null},
      assigned_seat = ${claim.assigner?.seat ?? null},
      updated_at = ${tx.now}
    where id = ${claim.taskId} ${claim.teamId === undefined ? sql.empty : sql`and team_id = ${claim.teamId}`}
    and ${condition}
    returning ${tasks.columns}`);
  if (!row) return undefined;
  const taken = tasks.read(row);
  await recordClaim(tx, claim, taken.fence);
  return taken;
}

/** The same claim under another seat: its fence stays, and the seat that had it before has none any more. */
export async function adoptTask(
  tx: Tx,
  task: Pick<StoredTask, 'id' | 'fence'>,
  { seat, leaseUntil }: Pick<Acquisition, 'seat' | 'leaseUntil'>,
): Promise<StoredTask> {
  const row = await tx.get<StoredRow>(sql`
    update tasks
    set claim_seat = ${seat}, awaited = 0, lease_until = ${leaseUntil}, updated_at = ${tx.now}
    where id = ${task.id} and fence = ${task.fence}
    returning ${tasks.columns}`);
  await tx.run(sql`
    update task_claims
    set seat = ${seat}
    where task_id = ${task.id} and fence = ${task.fence}`);
  return tasks.read(row!);
}

export async function recordClaim(tx: Tx, claim: Acquisition, fence: number): Promise<void> {
  const { taskId, agentId, seat, asserted } = claim;
  await claims.insert(tx, { taskId, fence, agentId, seat, asserted, claimedAt: tx.now, endedBy: null });
}

export async function endClaim(
  tx: Tx,
  task: Pick<StoredTask, 'id' | 'fence'>,
  endedBy: ClaimEnd,
): Promise<void> {
  await tx.run(sql`
    update task_claims
    set ended_at = ${tx.now}, ended_by = ${endedBy}
    where task_id = ${task.id} and fence = ${task.fence} and ended_at is null`);
}

const claims = table('task_claims', {
  taskId: text(),
  fence: number(),
  agentId: text(),
  seat: textOrNull(),
  asserted: flag(),
  claimedAt: number(),
  endedBy: textOrNull(),
});
const pastClaims = claims.only('fence', 'agentId', 'seat', 'claimedAt', 'endedBy');
export type PastClaim = Readonly<RecordOf<typeof pastClaims.fields>>;

export function findClaim(q: Query, taskId: string, fence: number): Promise<PastClaim | undefined> {
  return pastClaims.find(q, sql`where task_id = ${taskId} and fence = ${fence}`);
}

export function findLatestClaimOfSeat(
  q: Query,
  taskId: string,
  seat: string,
): Promise<PastClaim | undefined> {
  return pastClaims.find(q, sql`where task_id = ${taskId} and seat = ${seat} order by fence desc limit 1`);
}

const candidates = table('tasks', {
  id: text(),
  seat: named('claim_seat', textOrNull()),
  fence: number(),
  order: named('claim_order', number()),
});
export type Candidate = Readonly<RecordOf<typeof candidates.fields>>;
export type NextFilter = Readonly<{
  teamId?: string | undefined;
  /** With what belongs to no team. */
  orNone?: boolean | undefined;
  runtime?: string | undefined;
}>;

function ofTeam({ teamId, orNone }: NextFilter): Sql {
  if (teamId === undefined) return sql.empty;
  return orNone ? sql`and (team_id = ${teamId} or team_id is null)` : sql`and team_id = ${teamId}`;
}

/** What was assigned to this agent and waits for it, held until the unit ends. */
export function findNextAwaited(
  tx: Tx,
  agentId: string,
  filter: NextFilter,
): Promise<StoredTask | undefined> {
  return tasks.find(
    tx,
    sql`
    where awaited = 1 and assignee_agent_id = ${agentId} and dropped = 0 and status = 'in_progress'
      and (lease_until is null or lease_until > ${tx.now}) ${ofTeam(filter)}
    order by claim_order, id
    limit 1
    ${tx.dialect.skipLocked}`,
  );
}

/**
 * The free task that should be done next, held until the unit ends. Rows that others are taking at this moment
 * are passed over, so that claimants never queue behind each other. Work meant for one runtime is not offered to another.
 */
export function findNextFree(tx: Tx, filter: NextFilter): Promise<Candidate | undefined> {
  const runtime =
    filter.runtime === undefined
      ? sql.empty
      : sql`and (assignee_runtime is null or assignee_runtime = ${filter.runtime})`;
  return candidates.find(
    tx,
    sql`
    where dropped = 0 and status = 'todo' and assignee_agent_id is null ${ofTeam(filter)} ${runtime}
    and ${isReady}
    order by claim_order, id
    limit 1
    ${tx.dialect.skipLocked}`,
  );
}

/** The lapsed claim that should be taken over next. There are few, and the claim itself decides who gets it. */
export function findNextLapsed(tx: Tx, filter: NextFilter): Promise<Candidate | undefined> {
  return candidates.find(
    tx,
    sql`
    where dropped = 0 and status = 'in_progress' and lease_until <= ${tx.now} ${ofTeam(filter)}
    and ${isReady}
    order by claim_order, id
    limit 1`,
  );
}

/** Never shortens a lease. Answers nothing: a claim that is over has nothing to renew. */
export async function renewTask(
  tx: Tx,
  { id, fence }: Pick<StoredTask, 'id' | 'fence'>,
  leaseUntil: number,
): Promise<void> {
  await tx.run(sql`
    update tasks
    set lease_until = ${leaseUntil}
    where id = ${id} and fence = ${fence} and lease_until < ${leaseUntil}`);
}

export async function renewSeat(tx: Tx, seat: string, leaseUntil: number): Promise<void> {
  await tx.run(sql`
    update tasks
    set lease_until = ${leaseUntil}
    where claim_seat = ${seat} and lease_until < ${leaseUntil}`);
}

/** Leases granted before the clock went back would outlive their holder by the size of the jump. */
export function shortenLeases(tx: Tx, latest: number): Promise<number> {
  return tx.run(sql`
    update tasks
    set lease_until = ${latest}
    where dropped = 0 and status in ('in_progress', 'in_review', 'blocked') and lease_until > ${latest}`);
}

export async function listLapsed(tx: Tx, limit: number): Promise<StoredTask[]> {
  const rows = await tx.all<StoredRow>(sql`
    select ${tasks.columns}
    from tasks
    where dropped = 0 and status = 'in_progress' and lease_until <= ${tx.now}
    order by lease_until
    limit ${limit}
    ${tx.dialect.skipLocked}`);
  return rows.map(tasks.read);
}

/** Tasks in work that this seat claimed or that this agent is named on; lapsed ones among them. */
export async function listClaimedBy(
  q: Query,
  { seat, who }: Readonly<{ seat: string | null; who: Principal }>,
): Promise<string[]> {
  const { agent, team } = who.bound;
  const rows = await q.all<{ id: string }>(sql`
    select id
    from tasks
    where dropped = 0
      and status = 'in_progress'
      and (claim_seat = cast(${seat} as text) or assignee_agent_id = cast(${agent ?? null} as text))
      ${team === undefined ? sql.empty : sql`and team_id = ${team}`}
    order by id
    limit 100`);
  return rows.map(({ id }) => id);
}
