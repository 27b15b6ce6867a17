// SQL of checks and evidence. A check is judged by its newest evidence alone.
import type { Query } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { flag, number, type StoredRow, table, text, textOrNull } from '../../../store/table.ts';
import type { Check, Evidence } from '../detail.ts';
import { isSatisfied } from '../rules.ts';
import type { StoredTask } from '../task.ts';

export const checks = table('task_checks', {
  id: text(),
  taskId: text(),
  title: text(),
  required: flag(),
  createdAt: number(),
});

export const evidence = table('task_evidence', {
  id: text(),
  taskId: text(),
  checkId: text(),
  revision: number(),
  passed: flag(),
  summary: text(),
  reference: textOrNull(),
  authorAgentId: textOrNull(),
  asserted: flag(),
  fence: number(),
  createdAt: number(),
});

type Judged = Pick<StoredTask, 'id' | 'revision'>;
type Newest = Readonly<{ newest_passed: number | null; newest_revision: number | null }>;

/** The checks of a task, each judged by its newest evidence. */
export async function listChecks(q: Query, task: Judged): Promise<Check[]> {
  const rows = await q.all<StoredRow & Newest>(sql`
    select ${checks.columnsOf('task_checks')},
      newest.passed as newest_passed,
      newest.revision as newest_revision
    from task_checks
    left join task_evidence as newest on newest.id = (
      select max(given.id)
      from task_evidence as given
      where given.check_id = task_checks.id
    )
    where task_checks.task_id = ${task.id}
    order by task_checks.id`);
  return rows.map((row) => {
    const { newest_passed: passed, newest_revision: revision } = row;
    const newest = passed === null ? undefined : { passed: passed === 1, revision: revision! };
    return { ...checks.read(row), satisfied: isSatisfied(newest, task.revision) };
  });
}

export async function hasCheck(q: Query, taskId: string, checkId: string): Promise<boolean> {
  const row = await q.get(
    sql`select 1 as found from task_checks where id = ${checkId} and task_id = ${taskId}`,
  );
  return row !== undefined;
}

export async function countChecks(q: Query, taskId: string): Promise<number> {
  const row = await q.get<{ total: number }>(
    sql`select count(*) as total from task_checks where task_id = ${taskId}`,
  );
  return row!.total;
}

/** Newest first. */
export async function listEvidence(q: Query, task: Judged, limit: number): Promise<Evidence[]> {
  const found = await evidence.list(q, sql`where task_id = ${task.id} order by id desc limit ${limit}`);
  return found.map(({ revision, asserted: _a, fence: _f, ...given }) => ({
    ...given,
    current: revision === task.revision,
  }));
}
