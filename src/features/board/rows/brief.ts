// SQL of what an agent is told of the board when it begins.
import type { Query } from '../../../store/database.ts';
import { type Sql, sql } from '../../../store/sql.ts';
import { number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';
import { isReady } from './ready.ts';

const briefly = table('tasks', {
  id: text(),
  title: text(),
  status: text(),
  assigneeAgentId: textOrNull(),
  priority: number(),
  fence: number(),
  leaseUntil: numberOrNull(),
  completedAt: numberOrNull(),
});
export type BriefTask = Readonly<RecordOf<typeof briefly.fields>>;

export type BriefScope = Readonly<{ team: string | undefined; agents: readonly string[]; most: number }>;

const isShown = (team: string | undefined): Sql =>
  sql`dropped = 0 and shelved_at is null ${team === undefined ? sql.empty : sql`and team_id = ${team}`}`;

/** Assigned, and nothing is in its way: free, or given to it and not begun. */
export function assignedTasks(q: Query, { team, agents, most }: BriefScope): Promise<BriefTask[]> {
  return briefly.list(
    q,
    sql`
    where assignee_agent_id in ${sql.in(agents)} and ${isShown(team)}
      and (status = 'todo' or (status = 'in_progress' and awaited = 1))
      and ${isReady}
    order by priority desc, created_at, id
    limit ${most}`,
  );
}

/** Begun under its name and not over. */
export function begunTasks(q: Query, { team, agents, most }: BriefScope): Promise<BriefTask[]> {
  return briefly.list(
    q,
    sql`
    where status in ('in_progress', 'in_review', 'blocked') and awaited = 0
      and assignee_agent_id in ${sql.in(agents)} and ${isShown(team)}
    order by priority desc, created_at, id
    limit ${most}`,
  );
}

/** Claims that were ended for it and whose tasks are still open. */
export function lostTasks(q: Query, scope: BriefScope & Readonly<{ since: number }>): Promise<BriefTask[]> {
  const { team, agents, most, since } = scope;
  return briefly.list(
    q,
    sql`
    where id in (
      select task_id
      from task_claims
      where agent_id in ${sql.in(agents)} and ended_by in ('lapse', 'revoke') and ended_at > ${since}
    )
      and status not in ('done', 'cancelled') and ${isShown(team)}
      and (assignee_agent_id is null or assignee_agent_id not in ${sql.in(agents)})
    order by id desc
    limit ${most}`,
  );
}

export function doneSince(
  q: Query,
  { team, since, most }: Readonly<{ team: string; since: number; most: number }>,
): Promise<BriefTask[]> {
  return briefly.list(
    q,
    sql`
    where team_id = ${team} and completed_at is not null and completed_at > ${since} and dropped = 0
      and status = 'done'
    order by completed_at desc
    limit ${most}`,
  );
}

export type BriefComment = Readonly<{
  id: string;
  taskId: string;
  body: string;
  by: string | null;
  title: string;
  at: number;
}>;

/** What others said about tasks that it has or had. */
export function saidSince(
  q: Query,
  scope: BriefScope & Readonly<{ since: number }>,
): Promise<BriefComment[]> {
  const { team, agents, most, since } = scope;
  return q.all<BriefComment>(sql`
    select said.id as id, said.task_id as "taskId", said.body as body, said.author_agent_id as by,
      tasks.title as title, said.created_at as at
    from tasks
    join task_comments as said on said.task_id = tasks.id
    where tasks.id in (select task_id from task_claims where agent_id in ${sql.in(agents)})
      and ${isShown(team)} and said.created_at > ${since} and said.author_type <> 'system'
      and (said.author_agent_id is null or said.author_agent_id not in ${sql.in(agents)})
    order by said.id desc
    limit ${most}`);
}
