import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { named, numberOrNull, type RecordOf, table, text } from '../../../store/table.ts';
import type { TaskLink } from '../detail.ts';
import { fieldsOf, INSIDE, type StoredTask } from '../task.ts';
import { comments } from './comments.ts';
import { checks, evidence } from './evidence.ts';
import { tasks } from './tasks.ts';

/** Pages of whole tables for an export, each in an order in which its lines can be read back. Dropped tasks stay behind. */

type Carried = Exclude<keyof typeof tasks.fields, keyof typeof INSIDE | 'dropped'>;
const isCarried = (field: string): field is Carried => !Object.hasOwn(INSIDE, field) && field !== 'dropped';

const archived = table('tasks', {
  ...tasks.only(...fieldsOf(tasks.fields).filter(isCarried)).fields,
  archivedAt: named('shelved_at', numberOrNull()),
});
const links = table('task_dependencies', { taskId: text(), dependsOnTaskId: text() });
const labels = table('task_labels', { taskId: text(), label: text() });

/** Parents come before their children. */
export function pageTasks(q: Query, after: Pick<StoredTask, 'depth' | 'id'>, limit: number) {
  return archived.list(
    q,
    sql`
    where dropped = 0 and (depth, id) > (${after.depth}, ${after.id})
    order by depth, id
    limit ${limit}`,
  );
}

const liveTasks = sql`(
      select id
      from tasks
      where dropped = 0
    )`;

export function pageLinks(q: Query, after: TaskLink, limit: number): Promise<TaskLink[]> {
  return links.list(
    q,
    sql`
    where (task_id, depends_on_task_id) > (${after.taskId}, ${after.dependsOnTaskId})
      and task_id in ${liveTasks}
      and depends_on_task_id in ${liveTasks}
    order by task_id, depends_on_task_id
    limit ${limit}`,
  );
}

export function pageLabels(q: Query, after: RecordOf<typeof labels.fields>, limit: number) {
  return labels.list(
    q,
    sql`
    where (task_id, label) > (${after.taskId}, ${after.label}) and task_id in ${liveTasks}
    order by task_id, label
    limit ${limit}`,
  );
}

const DETAILS = { comment: comments, check: checks, evidence };
export type Detail = Readonly<{ kind: keyof typeof DETAILS; id: string }>;

export async function deleteDetail(tx: Tx, { kind, id }: Detail): Promise<void> {
  await DETAILS[kind].delete(tx, sql`where id = ${id}`);
}

/** Comments, checks and evidence alike: by their ids, which grow with time. */
export function pageComments(q: Query, after: string, limit: number) {
  return comments.all(q, detailsAfter('comment', after, limit));
}

export function pageChecks(q: Query, after: string, limit: number) {
  return checks.all(q, detailsAfter('check', after, limit));
}

export function pageEvidence(q: Query, after: string, limit: number) {
  return evidence.all(q, detailsAfter('evidence', after, limit));
}

function detailsAfter(kind: keyof typeof DETAILS, after: string, limit: number) {
  return sql`
    select ${DETAILS[kind].columns}
    from ${sql.raw(TABLES[kind])}
    where id > ${after} and task_id in ${liveTasks}
    order by id
    limit ${limit}`;
}

const TABLES = {
  task: 'tasks',
  comment: 'task_comments',
  check: 'task_checks',
  evidence: 'task_evidence',
} as const;

/** Dropped tasks count as known: what was taken off the board does not come back with an export. */
export async function isKnown(q: Query, kind: keyof typeof TABLES, id: string): Promise<boolean> {
  const row = await q.get(sql`select 1 as found from ${sql.raw(TABLES[kind])} where id = ${id}`);
  return row !== undefined;
}
