import type { Query } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';

/** What is counted about finished work. Cancelled work is no throughput, but it cost what it cost. */
export type FinishedTask = Readonly<{
  status: 'done' | 'cancelled';
  agentId: string | null;
  teamId: string | null;
  costUsd: number;
  createdAt: number;
  claimedAt: number | null;
  completedAt: number;
}>;

type FinishedRow = {
  status: 'done' | 'cancelled';
  assignee_agent_id: string | null;
  team_id: string | null;
  cost_usd: number;
  created_at: number;
  claimed_at: number | null;
  completed_at: number;
};

type Finished = Readonly<{ since: number; teamId?: string | undefined; limit: number }>;

/** Newest first; archived tasks count as any other. */
export async function listFinished(q: Query, { since, teamId, limit }: Finished): Promise<FinishedTask[]> {
  const rows = await q.all<FinishedRow>(sql`
    select status, assignee_agent_id, team_id, cost_usd, created_at, claimed_at, completed_at
    from tasks
    where dropped = 0 and status in ('done', 'cancelled') and completed_at >= ${since}
      ${teamId === undefined ? sql.empty : sql`and team_id = ${teamId}`}
    order by completed_at desc
    limit ${limit}`);
  return rows.map((row) => ({
    status: row.status,
    agentId: row.assignee_agent_id,
    teamId: row.team_id,
    costUsd: row.cost_usd,
    createdAt: row.created_at,
    claimedAt: row.claimed_at,
    completedAt: row.completed_at,
  }));
}
