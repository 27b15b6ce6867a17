// SQL of checks and evidence. A check is judged by its newest evidence alone.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { isSatisfied } from '../rules.ts';
import type { Check, Evidence, StoredTask } from '../task.ts';

type CheckRow = {
  id: string;
  task_id: string;
  title: string;
  required: number;
  created_at: number;
  newest_passed: number | null;
  newest_revision: number | null;
};

export type EvidenceRow = {
  id: string;
  task_id: string;
  check_id: string;
  revision: number;
  passed: number;
  summary: string;
  reference: string | null;
  author_agent_id: string | null;
  created_at: number;
};

export type NewCheck = Omit<Check, 'satisfied'>;

export async function insertCheck(tx: Tx, check: NewCheck): Promise<void> {
  await tx.run(sql`
    insert into task_checks (id, task_id, title, required, created_at)
    values (${check.id}, ${check.taskId}, ${check.title}, ${check.required ? 1 : 0}, ${check.createdAt})`);
}

/** The checks of a task, each judged by its newest evidence. */
export async function listChecks(q: Query, task: Pick<StoredTask, 'id' | 'revision'>): Promise<Check[]> {
  const rows = await q.all<CheckRow>(sql`
    select task_checks.id, task_checks.task_id, title, required, task_checks.created_at,
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
  return rows.map((row) => ({
    id: row.id,
    taskId: row.task_id,
    title: row.title,
    required: row.required === 1,
    satisfied: isSatisfied(
      row.newest_passed === null
        ? undefined
        : { passed: row.newest_passed === 1, revision: row.newest_revision! },
      task.revision,
    ),
    createdAt: row.created_at,
  }));
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

export type NewEvidence = Readonly<{
  id: string;
  taskId: string;
  checkId: string;
  revision: number;
  passed: boolean;
  summary: string;
  reference: string | null;
  authorAgentId: string | null;
  asserted: boolean;
  fence: number;
  createdAt: number;
}>;

export async function insertEvidence(tx: Tx, given: NewEvidence): Promise<void> {
  await tx.run(sql`
    insert into task_evidence (id, task_id, check_id, revision, passed, summary, reference, author_agent_id, asserted, fence, created_at)
    values (${given.id}, ${given.taskId}, ${given.checkId}, ${given.revision}, ${given.passed ? 1 : 0}, ${given.summary},
      ${given.reference}, ${given.authorAgentId}, ${given.asserted ? 1 : 0}, ${given.fence}, ${given.createdAt})`);
}

/** Newest first. */
export async function listEvidence(
  q: Query,
  task: Pick<StoredTask, 'id' | 'revision'>,
  limit: number,
): Promise<Evidence[]> {
  const rows = await q.all<EvidenceRow>(sql`
    select id, task_id, check_id, revision, passed, summary, reference, author_agent_id, created_at
    from task_evidence
    where task_id = ${task.id}
    order by id desc
    limit ${limit}`);
  return rows.map((row) => ({ ...asEvidence(row), current: row.revision === task.revision }));
}

/** What was given, without a judgement of whether it still counts. */
export function asEvidence(row: EvidenceRow): Omit<Evidence, 'current'> {
  return {
    id: row.id,
    taskId: row.task_id,
    checkId: row.check_id,
    passed: row.passed === 1,
    summary: row.summary,
    reference: row.reference,
    authorAgentId: row.author_agent_id,
    createdAt: row.created_at,
  };
}
