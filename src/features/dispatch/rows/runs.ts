// SQL of runs.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { Run, RunStatus } from '../run.ts';

type Row = Omit<Run, 'worktree' | 'limits' | 'error' | 'usage'> & {
  worktree: string | null;
  limits: string;
  error: string | null;
  usage: string | null;
};

const COLUMNS =
  sql.raw(`id, instance, family, lane, agent, owner, team, project, cwd, prompt, model, state, reason, parent, hops,
  hub, context_id as "contextId", board_task as "boardTask", token_id as "tokenId", session_id as "sessionId", resumes, worktree, limits,
  next_event as "nextEvent", last_message as "lastMessage", result, error, usage, cost_usd as "costUsd", exit_code as "exitCode",
  exit_signal as "exitSignal", created_at as "createdAt", started_at as "startedAt", closed_at as "closedAt"`);

const OPEN = sql.raw(`state in ('pending', 'active')`);

function fromRow(row: Row): Run {
  return {
    ...row,
    worktree: parsed(row.worktree) as Run['worktree'],
    limits: parsed(row.limits) as Run['limits'],
    error: parsed(row.error) as Run['error'],
    usage: parsed(row.usage) as Run['usage'],
  };
}

function parsed(text: string | null): unknown {
  return text === null ? null : (JSON.parse(text) as unknown);
}

function stored(value: unknown): string | null {
  return value === null || value === undefined ? null : JSON.stringify(value);
}

export async function insertRun(tx: Tx, run: Run): Promise<void> {
  await tx.run(sql`
    insert into runs (id, instance, family, lane, agent, owner, team, project, cwd, prompt, model, state, reason, parent, hops, hub, context_id,
      board_task, token_id, session_id, resumes, worktree, limits, next_event, created_at)
    values (${run.id}, ${run.instance}, ${run.family}, ${run.lane}, ${run.agent}, ${run.owner}, ${run.team}, ${run.project}, ${run.cwd}, ${run.prompt},
      ${run.model}, ${run.state}, ${run.reason}, ${run.parent}, ${run.hops}, ${run.hub}, ${run.contextId}, ${run.boardTask},
      ${run.tokenId}, ${run.sessionId}, ${run.resumes}, ${stored(run.worktree)}, ${stored(run.limits)}, ${run.nextEvent},
      ${run.createdAt})`);
}

export async function findRun(q: Query, id: string): Promise<Run | undefined> {
  const row = await q.get<Row>(sql`select ${COLUMNS} from runs where id = ${id}`);
  return row && fromRow(row);
}

/** The run that a token was made for; a token lives no longer than its run. */
export async function findRunOfToken(q: Query, tokenId: string): Promise<Run | undefined> {
  const row = await q.get<Row>(sql`select ${COLUMNS} from runs where token_id = ${tokenId} and ${OPEN}`);
  return row && fromRow(row);
}

export type RunFilter = Readonly<{
  states?: readonly RunStatus[] | undefined;
  team?: string | undefined;
  /** Only what this caller started, or itself. */
  of?: Readonly<{ owner: string; agent: string | undefined }> | undefined;
  boardTask?: string | undefined;
  contextId?: string | undefined;
  before?: string | undefined;
  /** Active ones that wait for somebody, or that do not. */
  isWaiting?: boolean | undefined;
  changedSince?: number | undefined;
  limit: number;
}>;

/** When a run came to stand as it does, as far as its row tells. */
const CHANGED_AT = sql.raw('coalesce(closed_at, started_at, created_at)');
const WAITS = sql.raw(`coalesce(reason, '') in ('waiting_approval', 'waiting_input')`);

/** Newest first: ids sort by time. */
export async function listRuns(q: Query, filter: RunFilter): Promise<Run[]> {
  const rows = await q.all<Row>(sql`
    select ${COLUMNS}
    from runs
    where ${sql.join(conditionsOf(filter), ' and ')}
    order by id desc
    limit ${filter.limit}`);
  return rows.map(fromRow);
}

/** A place in the list of what changed last. */
export type ChangePlace = Readonly<{ at: number; id: string }>;

/** What changed last comes first. */
export async function listRunsByChange(q: Query, filter: RunFilter, after?: ChangePlace): Promise<Run[]> {
  const beyond = after
    ? [sql`(${CHANGED_AT} < ${after.at} or (${CHANGED_AT} = ${after.at} and id < ${after.id}))`]
    : [];
  const rows = await q.all<Row>(sql`
    select ${COLUMNS}
    from runs
    where ${sql.join([...conditionsOf(filter), ...beyond], ' and ')}
    order by ${CHANGED_AT} desc, id desc
    limit ${filter.limit}`);
  return rows.map(fromRow);
}

export async function countRuns(q: Query, filter: RunFilter): Promise<number> {
  const row = await q.get<{ n: number }>(sql`
    select count(*) as n
    from runs
    where ${sql.join(conditionsOf(filter), ' and ')}`);
  return row!.n;
}

function conditionsOf(filter: RunFilter) {
  const { states, team, of, boardTask, contextId, before, isWaiting, changedSince } = filter;
  return [
    sql`1 = 1`,
    ...(states ? [sql`state in ${sql.in(states)}`] : []),
    ...(team === undefined ? [] : [sql`team = ${team}`]),
    ...(of ? [sql`(owner = ${of.owner} or agent = ${of.agent ?? ''})`] : []),
    ...(boardTask === undefined ? [] : [sql`board_task = ${boardTask}`]),
    ...(contextId === undefined ? [] : [sql`context_id = ${contextId}`]),
    ...(before === undefined ? [] : [sql`id < ${before}`]),
    ...(isWaiting === undefined ? [] : [isWaiting ? sql`${WAITS}` : sql`not ${WAITS}`]),
    ...(changedSince === undefined ? [] : [sql`${CHANGED_AT} >= ${changedSince}`]),
  ];
}

export async function openRunsOf(q: Query, hub: string): Promise<Run[]> {
  const rows = await q.all<Row>(sql`
    select ${COLUMNS}
    from runs
    where hub = ${hub} and ${OPEN}
    order by id`);
  return rows.map(fromRow);
}

/** Hubs that have open runs. */
export async function hubsWithRuns(q: Query): Promise<string[]> {
  return (await q.all<{ hub: string }>(sql`select distinct hub from runs where ${OPEN}`)).map(
    ({ hub }) => hub,
  );
}

/** The open run that acts under this name, if its caller is one. */
export async function openRunOfAgent(q: Query, agent: string, team: string | null): Promise<Run | undefined> {
  const row = await q.get<Row>(sql`
    select ${COLUMNS}
    from runs
    where agent = ${agent} and coalesce(team, '') = ${team ?? ''} and ${OPEN}
    order by id desc
    limit 1`);
  return row && fromRow(row);
}

/** Runs that this one's session has behind it: its usage is counted from there. */
export async function usageOfSession(q: Query, sessionId: string, before: string): Promise<Run['usage'][]> {
  const rows = await q.all<{ usage: string | null }>(sql`
    select usage
    from runs
    where session_id = ${sessionId} and id < ${before}
    order by id`);
  return rows.map(({ usage }) => parsed(usage) as Run['usage']);
}

/** When a run before this one last opened that session. */
export async function sessionOpenedAt(
  q: Query,
  sessionId: string,
  before: string,
): Promise<number | undefined> {
  const row = await q.get<{ at: number | null }>(sql`
    select max(started_at) as at
    from runs
    where session_id = ${sessionId} and id < ${before}`);
  return row?.at ?? undefined;
}

/**
 * Numbers for so many events: the first of them, or undefined when the run is over. The guard is in the statement that moves the
 * counter, so that nothing is ever numbered after `terminal`.
 */
export async function takeNumbers(tx: Tx, id: string, count: number): Promise<number | undefined> {
  const row = await tx.get<{ next: number }>(sql`
    update runs
    set next_event = next_event + ${count}
    where id = ${id} and ${OPEN}
    returning next_event as next`);
  return row && row.next - count;
}

export type RunChange = Readonly<Partial<Omit<Run, 'id' | 'nextEvent'>>>;

const NAMES: Readonly<Partial<Record<keyof RunChange, string>>> = {
  boardTask: 'board_task',
  tokenId: 'token_id',
  sessionId: 'session_id',
  lastMessage: 'last_message',
  costUsd: 'cost_usd',
  exitCode: 'exit_code',
  exitSignal: 'exit_signal',
  startedAt: 'started_at',
  closedAt: 'closed_at',
};

/** Changes a run that is not over; undefined when it is. Terminal states are final. */
export async function changeRun(tx: Tx, id: string, change: RunChange): Promise<Run | undefined> {
  const sets = Object.entries(change).map(([name, value]) => {
    const column = sql.raw(NAMES[name as keyof RunChange] ?? name);
    const isPlain = value === null || typeof value === 'string' || typeof value === 'number';
    return sql`${column} = ${isPlain ? value : JSON.stringify(value)}`;
  });
  const row = await tx.get<Row>(sql`
    update runs
    set ${sql.join(sets, ', ')}
    where id = ${id} and ${OPEN}
    returning ${COLUMNS}`);
  return row && fromRow(row);
}

/** With `from` only a run that is there; one that is being ended stays so. */
export async function changeReason(
  tx: Tx,
  id: string,
  reason: string,
  from?: string,
): Promise<Run | undefined> {
  const isThere = from === undefined ? sql`true` : sql`reason = ${from}`;
  const row = await tx.get<Row>(sql`
    update runs
    set reason = ${reason}
    where id = ${id} and ${OPEN} and ${isThere}
      and (reason is null or reason not in ('cancelling', ${reason}))
    returning ${COLUMNS}`);
  return row && fromRow(row);
}

export function setWorktree(tx: Tx, id: string, worktree: Run['worktree']): Promise<number> {
  return tx.run(sql`update runs set worktree = ${stored(worktree)} where id = ${id}`);
}

/** Ended runs from before that time, a page at a time; their events go with them. */
export function dropRunsBefore(tx: Tx, before: number, limit = 200): Promise<number> {
  return tx.run(sql`
    delete from runs
    where id in (select id from runs where closed_at < ${before} order by closed_at limit ${limit})`);
}
