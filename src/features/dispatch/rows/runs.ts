// SQL of runs.
import { countByWord } from '../../../store/count.ts';
import type { PeopleQuery } from '../../../kernel/query-language.ts';
import type { Query, Tx } from '../../../store/database.ts';
import {
  type QueryFields,
  conditionsOf,
  contains,
  isKind,
  isText,
  isWithin,
} from '../../../store/query-terms.ts';
import { sql } from '../../../store/sql.ts';
import { table } from '../../../store/table.ts';
import { type Reason, type Run, runColumns, type RunStatus } from '../run.ts';

const runs = table('runs', runColumns);

const OPEN = sql.raw(`state in ('pending', 'active')`);

export const insertRun = (tx: Tx, run: Run): Promise<void> => runs.insert(tx, run);

export function findRun(q: Query, id: string): Promise<Run | undefined> {
  return runs.find(q, sql`where id = ${id}`);
}

/** Nobody else changes it until this transaction is over. */
export function lockRun(tx: Tx, id: string): Promise<Run | undefined> {
  return runs.find(tx, sql`where id = ${id} ${tx.dialect.forUpdate}`);
}

/** The run that a token was made for; a token lives no longer than its run. */
export function findRunOfToken(q: Query, tokenId: string): Promise<Run | undefined> {
  return runs.find(q, sql`where token_id = ${tokenId} and ${OPEN}`);
}

const inWorktrees = runs.only('team', 'boardTask', 'agent', 'worktree');

/** The runs that work in a worktree now. */
export async function openWorktrees(q: Query) {
  const found = await inWorktrees.list(q, sql`where ${OPEN} and worktree is not null order by id`);
  return found.flatMap(({ worktree, ...run }) => (worktree === null ? [] : [{ ...run, worktree }]));
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
  /** What a person looks for. */
  asked?: Readonly<{ query: PeopleQuery; now: number }> | undefined;
  limit: number;
}>;

/** When a run came to stand as it does, as far as its row tells. */
const CHANGED_AT = sql.raw('coalesce(closed_at, started_at, created_at)');
const WAITS = sql.raw(`coalesce(reason, '') in ('waiting_approval', 'waiting_input')`);

/** Newest first: ids sort by time. */
export function listRuns(q: Query, filter: RunFilter): Promise<Run[]> {
  return runs.list(
    q,
    sql`
      where ${sql.join(termsOf(filter), ' and ')}
      order by id desc
      limit ${filter.limit}`,
  );
}

/** A place in the list of what changed last. */
export type ChangePosition = Readonly<{ at: number; id: string }>;

/** What changed last comes first. */
export function listRunsByChange(q: Query, filter: RunFilter, after?: ChangePosition): Promise<Run[]> {
  const beyond = after
    ? [sql`(${CHANGED_AT} < ${after.at} or (${CHANGED_AT} = ${after.at} and id < ${after.id}))`]
    : [];
  return runs.list(
    q,
    sql`
      where ${sql.join([...termsOf(filter), ...beyond], ' and ')}
      order by ${CHANGED_AT} desc, id desc
      limit ${filter.limit}`,
  );
}

export async function countRuns(q: Query, filter: RunFilter): Promise<number> {
  const row = await q.get<{ n: number }>(sql`
    select count(*) as n
    from runs
    where ${sql.join(termsOf(filter), ' and ')}`);
  return row!.n;
}

function termsOf(filter: RunFilter) {
  const { asked } = filter;
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
    ...(asked ? conditionsOf(asked.query, asking(asked.now)) : []),
  ];
}

const asking = (now: number): QueryFields => ({
  has: (text) =>
    sql.join(
      ['id', 'agent', 'prompt', 'result', 'last_message', 'error'].map((column) =>
        contains(sql.raw(column), text),
      ),
      ' or ',
    ),
  fields: {
    agent: ({ value }) =>
      sql`(${isText(sql`agent`, value)} or ${isText(sql`instance`, value)} or ${isText(sql`family`, value)})`,
    project: ({ value }) => sql`(${isText(sql`team`, value)} or ${isText(sql`project`, value)})`,
    status: ({ value }) => isText(sql`state`, value),
    created: (term) => isWithin(sql`created_at`, term, now),
    updated: (term) => isWithin(CHANGED_AT, term, now),
    finished: (term) => isWithin(sql`closed_at`, term, now),
    id: ({ value }) => contains(sql`id`, value),
    kind: (term) => isKind(term, 'run'),
  },
});

/** The open run that acts under this name, if its caller is one. */
export function openRunOfAgent(q: Query, agent: string, team: string | null): Promise<Run | undefined> {
  return runs.find(
    q,
    sql`
      where agent = ${agent} and coalesce(team, '') = ${team ?? ''} and ${OPEN}
      order by id desc
      limit 1`,
  );
}

export type RunAct = Readonly<{ agent: string; taskId: string }>;

/** Whose act this was, over or not: names of runs are never given twice. */
export function newestRunBehind(q: Query, { agent, taskId }: RunAct): Promise<Run | undefined> {
  return runs.find(
    q,
    sql`
      where agent = ${agent} or board_task = ${taskId}
      order by case when agent = ${agent} then 0 else 1 end, id desc
      limit 1`,
  );
}

export const runsOfTrial = (q: Query, trial: string): Promise<Run[]> =>
  runs.list(q, sql`where trial = ${trial} order by id`);

const MOST_LOOKED_AT = 100;

/** The newest run of this task that worked on this branch. */
export async function runOnBranch(
  q: Query,
  { taskId, branch }: Readonly<{ taskId: string; branch: string }>,
): Promise<Run | undefined> {
  const found = await runs.list(
    q,
    sql`where board_task = ${taskId} order by id desc limit ${MOST_LOOKED_AT}`,
  );
  return found.find(({ worktree }) => worktree?.branch === branch);
}

/** Runs that this one's session has behind it: its usage is counted from there. */
export async function usageOfSession(q: Query, sessionId: string, before: string): Promise<Run['usage'][]> {
  const rows = await runs.only('usage').all(
    q,
    sql`
      select usage
      from runs
      where session_id = ${sessionId} and id < ${before}
        and not exists (select 1 from run_parts where run_parts.run_id = runs.id)
      union all
      select usage
      from run_parts
      where session_id = ${sessionId} and run_id <= ${before}`,
  );
  return rows.map(({ usage }) => usage);
}

/** When a run before this one last opened that session. */
export async function sessionOpenedAt(
  q: Query,
  sessionId: string,
  before: string,
): Promise<number | undefined> {
  const row = await q.get<{ at: number | null }>(sql`
    select max(started_at) as at
    from (
      select started_at from runs where session_id = ${sessionId} and id < ${before}
      union all
      select started_at from run_parts where session_id = ${sessionId} and run_id <= ${before}
    ) as opened`);
  return row?.at ?? undefined;
}

/**
 * Numbers for so many events: the first of them, or undefined when the run is over. The guard is in the
 * statement that moves the counter, so that nothing is ever numbered after `terminal`.
 */
export async function takeNumbers(tx: Tx, held: HeldRun, count: number): Promise<number | undefined> {
  const row = await tx.get<{ next: number }>(sql`
    update runs
    set next_event = next_event + ${count}
    where ${isHeld(held)}
    returning next_event as next`);
  return row && row.next - count;
}

export type RunChange = Readonly<Partial<Omit<Run, 'id' | 'nextEvent'>>>;

/** Changes a run that is not over; undefined when it is. Terminal states are final. */
export function changeRun(tx: Tx, id: string, change: RunChange): Promise<Run | undefined> {
  return changeHeld(tx, { id }, change);
}

/** The run an attempt works for: with its fence, only while it is this attempt's. */
export type HeldRun = Readonly<{ id: string; fence?: number }>;

export function changeHeld(tx: Tx, held: HeldRun, change: RunChange): Promise<Run | undefined> {
  return runs.get(
    tx,
    sql`
      update runs
      set ${runs.assign(change)}
      where ${isHeld(held)}
      returning ${runs.columns}`,
  );
}

function isHeld({ id, fence }: HeldRun) {
  return fence === undefined ? sql`id = ${id} and ${OPEN}` : sql`id = ${id} and ${OPEN} and fence = ${fence}`;
}

/** With `from` only a run that is there; one that is being ended stays so. */
export type ReasonChange = Readonly<{
  to: Reason;
  from?: Reason | undefined;
  /** Said by the attempt of this fence. */
  fence?: number;
}>;

export function changeReason(
  tx: Tx,
  id: string,
  { to, from, ...held }: ReasonChange,
): Promise<Run | undefined> {
  const isThere = from === undefined ? sql`true` : sql`reason = ${from}`;
  return runs.get(
    tx,
    sql`
      update runs
      set reason = ${to}
      where ${isHeld({ id, ...held })} and ${isThere} and (reason is null or reason not in ('cancelling', ${to}))
      returning ${runs.columns}`,
  );
}

export function setWorktree(tx: Tx, id: string, worktree: Run['worktree']): Promise<number> {
  return tx.run(sql`update runs set ${runs.assign({ worktree })} where id = ${id}`);
}

/** Ended runs from before that time, a page at a time; their events go with them. */
export function dropRunsBefore(tx: Tx, before: number, limit = 200): Promise<number> {
  return runs.delete(
    tx,
    sql`where id in (select id from runs where closed_at < ${before} order by closed_at limit ${limit})`,
  );
}

export type SpentTotal = Readonly<{ dollars: number; turns: number }>;

/** What the runs of a project that began since then have told of their cost. */
export async function spentBy(q: Query, project: string, since: number): Promise<SpentTotal> {
  const rows = await runs.only('costUsd', 'usage').all(
    q,
    sql`
      select cost_usd, usage
      from runs
      where project = ${project} and created_at > ${since} and usage is not null`,
  );
  return rows.reduce<SpentTotal>(
    ({ dollars, turns }, { costUsd, usage }) => ({
      dollars: dollars + (costUsd ?? 0),
      turns: turns + (usage?.turns ?? 0),
    }),
    { dollars: 0, turns: 0 },
  );
}

export function countByState(q: Query): Promise<Readonly<Record<string, number>>> {
  return countByWord(q, sql`select state as word, count(*) as count from runs group by state`);
}
