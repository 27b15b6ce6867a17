import { countByWord, countRows } from '../../../store/count.ts';
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { RecordOf } from '../../../store/table.ts';
import type { AskCosts } from '../settings.ts';
import { tasks } from './tasks.ts';

/** What is counted about finished work. Cancelled work is no throughput, but it cost what it cost. */
const finished = tasks.only(
  'id',
  'status',
  'assigneeAgentId',
  'teamId',
  'costUsd',
  'createdAt',
  'claimedAt',
  'completedAt',
);
export type FinishedTask = Readonly<RecordOf<typeof finished.fields>> & Readonly<{ completedAt: number }>;

type Finished = Readonly<{ since: number; teamId?: string | undefined; limit: number }>;

/** Newest first, with what their runs cost; archived tasks count as any other. */
export async function listFinished(
  q: Query,
  { since, teamId, limit }: Finished,
  costsOfRuns: AskCosts,
): Promise<readonly FinishedTask[]> {
  const wanted = sql`
    from tasks
    where dropped = 0 and status in ('done', 'cancelled') and completed_at >= ${since}
      ${teamId === undefined ? sql.empty : sql`and team_id = ${teamId}`}`;
  // Whatever is finished has been so since some moment.
  const found = (await finished.all(
    q,
    sql`select ${finished.columns} ${wanted} order by completed_at desc limit ${limit}`,
  )) as FinishedTask[];
  const costs = await costsOfRuns(q, sql`(select id ${wanted})`);
  // What was written on the task may be what its runs cost, too: the larger one is what is known.
  return found.map((task) => ({ ...task, costUsd: Math.max(task.costUsd, costs.get(task.id) ?? 0) }));
}

const heldUntil = sql`
  select count(*) as count
  from tasks
  where dropped = 0 and assignee_agent_id is not null and lease_until`;

/** Tasks by status, claims whose lease has not run out, and those that nobody has swept yet. */
export async function countTasks(q: Query, now: number) {
  return {
    tasks: await countByWord(
      q,
      sql`select status as word, count(*) as count from tasks where dropped = 0 group by status`,
    ),
    leases: await countRows(q, sql`${heldUntil} > ${now}`),
    lapsed: await countRows(q, sql`${heldUntil} <= ${now} and status = 'in_progress'`),
  };
}

export const teamsOfTasks = sql`select team_id as team from tasks where dropped = 0 and team_id is not null`;

/** For who takes a project away. */
export async function countOpenOf(q: Query, team: string): Promise<number> {
  const row = await q.get<{ open: number }>(sql`
    select count(*) as open
    from tasks
    where team_id = ${team} and dropped = 0 and status not in ('done', 'cancelled')`);
  return row!.open;
}

/** Dropped ones go along: they may come back. */
export function moveTasks(tx: Tx, from: string, into: string): Promise<number> {
  return tx.run(sql`update tasks set team_id = ${into} where team_id = ${from}`);
}
