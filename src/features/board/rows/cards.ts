import type { Query } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import type { RecordOf } from '../../../store/table.ts';
import type { AskCosts } from '../settings.ts';
import { fieldsOf, summarySchema } from '../task.ts';
import { placesOf } from './places.ts';
import { tasks } from './tasks.ts';

/** What a board shows of many tasks at once: each kind of mark is one statement for the whole page. */
export type CardFilter = Readonly<{
  teamId?: string | undefined;
  ids?: readonly string[] | undefined;
  after?: string | undefined;
  archived?: boolean | undefined;
}>;

const cards = tasks.only(
  ...fieldsOf(summarySchema.shape),
  'claimedAt',
  'completedAt',
  'branchRef',
  'costUsd',
  'awaited',
  'seat',
);
export type StoredCard = Readonly<RecordOf<typeof cards.fields>>;

export function listForCards(
  q: Query,
  { teamId, ids, after, archived = false }: CardFilter,
  limit: number,
): Promise<StoredCard[]> {
  return cards.all(
    q,
    sql`
    select ${cards.columns}
    from tasks
    where dropped = 0 and shelved_at is ${archived ? sql`not null` : sql`null`}
      ${teamId === undefined ? sql.empty : sql`and team_id = ${teamId}`}
      ${ids === undefined ? sql.empty : sql`and id in ${sql.in(ids)}`}
      ${after === undefined ? sql.empty : sql`and id > ${after}`}
    order by id
    limit ${limit}`,
  );
}

export type Marks = Readonly<{
  dependsOn: ReadonlyMap<string, readonly string[]>;
  comments: ReadonlyMap<string, number>;
  checks: ReadonlyMap<string, Readonly<{ total: number; satisfied: number }>>;
  labels: ReadonlyMap<string, readonly string[]>;
  places: ReadonlyMap<string, string>;
  costs: ReadonlyMap<string, number>;
}>;

const NONE = new Map<string, never>();
const NO_MARKS: Marks = {
  dependsOn: NONE,
  comments: NONE,
  checks: NONE,
  labels: NONE,
  places: NONE,
  costs: NONE,
};

export async function readMarks(q: Query, ids: readonly string[], costsOfRuns: AskCosts): Promise<Marks> {
  if (ids.length === 0) return NO_MARKS;
  const among = sql.in(ids);
  const links = await q.all<{ task: string; on: string }>(sql`
    select task_id as task, depends_on_task_id as "on"
    from task_dependencies
    where task_id in ${among}
    order by task_id, depends_on_task_id`);
  const comments = await q.all<{ task: string; count: number }>(sql`
    select task_id as task, count(*) as count
    from task_comments
    where task_id in ${among}
    group by task_id`);
  const labels = await q.all<{ task: string; label: string }>(sql`
    select task_id as task, label
    from task_labels
    where task_id in ${among}
    order by task_id, label`);
  return {
    labels: new Map(
      [...Map.groupBy(labels, ({ task }) => task)].map(([task, found]) => [
        task,
        found.map(({ label }) => label),
      ]),
    ),
    dependsOn: new Map(
      [...Map.groupBy(links, ({ task }) => task)].map(([task, found]) => [task, found.map(({ on }) => on)]),
    ),
    comments: new Map(comments.map(({ task, count }) => [task, count])),
    checks: await readChecks(q, among),
    places: await placesOf(q, ids),
    costs: await costsOfRuns(q, among),
  };
}

/** A check is satisfied as `rules.ts` says: its newest evidence passed, in the present revision of its task. */
async function readChecks(q: Query, among: Sql): Promise<Marks['checks']> {
  const rows = await q.all<{ task: string; total: number; satisfied: number }>(sql`
    select task_checks.task_id as task,
      count(*) as total,
      sum(case when newest.passed = 1 and newest.revision = tasks.revision then 1 else 0 end) as satisfied
    from task_checks
    join tasks on tasks.id = task_checks.task_id
    left join task_evidence as newest on newest.id = (
      select max(given.id)
      from task_evidence as given
      where given.check_id = task_checks.id
    )
    where task_checks.task_id in ${among}
    group by task_checks.task_id`);
  return new Map(rows.map(({ task, total, satisfied }) => [task, { total, satisfied }]));
}
