// What the board tells of its days.
import { sql } from '../../../store/sql.ts';
import { type AskPulse, byDay, MOST_ROWS } from '../../pulse/pulse.ts';

const DAY_MS = 86_400_000;

export const boardPulse: AskPulse = async (q, { since, now, team, day }) => {
  const own = team === undefined ? sql.empty : sql`and t.team_id = ${team}`;
  const finished = await q.all<{ day: number; count: number; ms: number | null }>(
    byDay(sql`
      select ${day(sql`t.completed_at`)} as day, t.completed_at - t.created_at as ms
      from tasks t
      where t.dropped = 0 and t.status = 'done' and t.completed_at >= ${since} ${own}`),
  );
  const lanes = await q.all<{
    agent: string;
    task: string;
    began: number;
    ended: number | null;
    why: string | null;
  }>(
    sql`
      select c.agent_id as agent, t.title as task, c.claimed_at as began, c.ended_at as ended, c.ended_by as why
      from task_claims c
      join tasks t on t.id = c.task_id
      where t.dropped = 0 and (c.ended_at is null or c.ended_at >= ${now - DAY_MS}) and c.claimed_at <= ${now}
        and (c.ended_at is not null or t.assignee_agent_id = c.agent_id) ${own}
      order by c.claimed_at
      limit ${MOST_ROWS}`,
  );
  return {
    finished: finished.map(({ day: at, count, ms }) => ({ day: at, done: count, leadMs: ms })),
    lanes: lanes.map(({ agent, task, began, ended, why }) => ({
      agent,
      task,
      from: began,
      to: ended,
      end: why,
    })),
  };
};
