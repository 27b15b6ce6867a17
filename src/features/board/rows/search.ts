// SQL of the search of people: which tasks are meant, and where in them the words stand.
import type { Query as Asked } from '../../../kernel/query-language.ts';
import type { Query } from '../../../store/database.ts';
import { contains } from '../../../store/query-terms.ts';
import { type Sql, sql } from '../../../store/sql.ts';
import type { RecordOf } from '../../../store/table.ts';
import type { TeamFilter } from '../rules.ts';
import { queryTerms } from './query.ts';
import { tasks } from './tasks.ts';

const looked = tasks.only('id', 'title', 'description', 'status', 'teamId', 'updatedAt');
export type FoundTask = Readonly<RecordOf<typeof looked.fields>> & Readonly<{ archived: boolean }>;

export type SearchWish = TeamFilter & Readonly<{ query: Asked; now: number }>;

/** What was changed last first; what was put out of sight is found, too. */
export async function findTasks(
  q: Query,
  { query, now, teamId, orNone }: SearchWish,
  limit: number,
): Promise<FoundTask[]> {
  const ofTeam = orNone
    ? sql`(team_id = ${teamId ?? null} or team_id is null)`
    : sql`team_id = ${teamId ?? null}`;
  const terms = [sql`dropped = 0`, ...(teamId === undefined ? [] : [ofTeam]), ...queryTerms(query, now)];
  const rows = await q.all<Record<string, string | number | null>>(sql`
    select ${looked.columns}, shelved_at
    from tasks
    where ${sql.join(terms, '\n    and ')}
    order by updated_at desc, id desc
    limit ${limit}`);
  return rows.map((row) => ({ ...looked.read(row), archived: row['shelved_at'] !== null }));
}

export type Said = Readonly<{
  kind: 'comment' | 'check' | 'evidence';
  taskId: string;
  text: string;
  by: string | null;
  at: number;
}>;

const MOST_SAID = 500;

/** What was said about these tasks that has one of the words, newest first. */
export async function findSaid(q: Query, ids: readonly string[], words: readonly string[]): Promise<Said[]> {
  if (ids.length === 0 || words.length === 0) return [];
  const any = (column: Sql) =>
    sql.join(
      words.map((word) => contains(column, word)),
      ' or ',
    );
  const read = async (kind: Said['kind'], from: Sql, text: Sql) => {
    const rows = await q.all<Omit<Said, 'kind' | 'taskId'> & { task: string }>(sql`
      select task_id as task, ${text} as text, created_at as at,
        ${kind === 'check' ? sql`null` : sql`author_agent_id`} as by
      from ${from}
      where task_id in ${sql.in(ids)} and (${any(text)})
      order by id desc
      limit ${MOST_SAID}`);
    return rows.map(({ task, text: said, by, at }) => ({ kind, taskId: task, text: said, by, at }));
  };
  return [
    ...(await read('comment', sql`task_comments`, sql`body`)),
    ...(await read('check', sql`task_checks`, sql`title`)),
    ...(await read('evidence', sql`task_evidence`, sql`summary || ' ' || coalesce(reference, '')`)),
  ];
}
