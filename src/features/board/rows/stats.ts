import { countByWord, countRows } from '../../../store/count.ts';
import type { Query } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import type { RecordOf } from '../../../store/table.ts';
import { tasks } from './tasks.ts';

/** What is counted about finished work. Cancelled work is no throughput, but it cost what it cost. */
const finished = tasks.only(
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

/** Newest first; archived tasks count as any other. */
export function listFinished(q: Query, { since, teamId, limit }: Finished): Promise<FinishedTask[]> {
  // Whatever is finished has been so since some moment.
  return finished.all(
    q,
    sql`
    select ${finished.columns}
    from tasks
    where dropped = 0 and status in ('done', 'cancelled') and completed_at >= ${since}
      ${teamId === undefined ? sql.empty : sql`and team_id = ${teamId}`}
    order by completed_at desc
    limit ${limit}`,
  ) as Promise<FinishedTask[]>;
}

/** Tasks by status, and claims whose lease has not run out. */
export async function countTasks(q: Query, now: number) {
  return {
    tasks: await countByWord(
      q,
      sql`select status as word, count(*) as count from tasks where dropped = 0 group by status`,
    ),
    leases: await countRows(
      q,
      sql`
      select count(*) as count
      from tasks
      where dropped = 0 and assignee_agent_id is not null and lease_until > ${now}`,
    ),
  };
}

export const teamsOfTasks = sql`select team_id as team from tasks where dropped = 0 and team_id is not null`;
