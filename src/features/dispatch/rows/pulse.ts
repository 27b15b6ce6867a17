// What runs tell of their days.
import { sql } from '../../../store/sql.ts';
import { type AskPulse, MOST_ROWS } from '../../pulse/pulse.ts';
import type { Usage } from '../frames/common.ts';

type Spent = Readonly<{ day: number; agent: string; project: string; runs: number; cost: number }>;

/** So many runs of the newest are asked for their tokens, which stand in what their agent said of itself. */
const MOST_USED = 5_000;

export const dispatchPulse: AskPulse = async (q, { since, team, day }) => {
  const own = team === undefined ? sql.empty : sql`and (project = ${team} or team = ${team})`;
  const group = sql`${day(sql`created_at`)} as day, instance as agent, coalesce(project, team, '') as project`;
  const spent = await q.all<Spent>(sql`
    select ${group}, count(*) as runs, coalesce(sum(cost_usd), 0) as cost
    from runs
    where created_at >= ${since} ${own}
    group by 1, 2, 3
    order by 1, 2, 3
    limit ${MOST_ROWS}`);
  const used = await q.all<Omit<Spent, 'runs' | 'cost'> & Readonly<{ usage: string }>>(sql`
    select ${group}, usage
    from runs
    where created_at >= ${since} and usage is not null ${own}
    order by id desc
    limit ${MOST_USED}`);
  const tokens = new Map<string, number>();
  for (const { usage, ...key } of used) {
    const { inputUncached, cacheRead, cacheWrite, output, reasoning } = JSON.parse(usage) as Usage;
    const all = inputUncached + cacheRead + cacheWrite + output + reasoning;
    tokens.set(keyOf(key), (tokens.get(keyOf(key)) ?? 0) + all);
  }
  return {
    spent: spent.map(({ cost, ...row }) => ({
      ...row,
      // To the millionth: sums of fractions end in noise.
      costUsd: Math.round(cost * 1e6) / 1e6,
      tokens: tokens.get(keyOf(row)) ?? 0,
    })),
  };
};

function keyOf({ day, agent, project }: Pick<Spent, 'day' | 'agent' | 'project'>): string {
  return JSON.stringify([day, agent, project]);
}
