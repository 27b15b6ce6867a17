import type { Query } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { type RecordOf } from '../../../store/table.ts';
import { tasks } from './tasks.ts';

const branched = tasks.only('id', 'teamId', 'branchRef', 'assigneeAgentId');
type Row = RecordOf<typeof branched.fields>;

/** An open task of a project with the branch that it is done on. */
export type BranchedTask = Readonly<Row & { teamId: string; branchRef: string }>;

const MOST = 5_000;

/** Newest first. Asked every few seconds: an index has these rows alone. */
export async function listBranched(q: Query): Promise<BranchedTask[]> {
  const rows = await branched.list(
    q,
    sql`where branch_ref is not null and status not in ('done', 'cancelled')
      and dropped = 0 and shelved_at is null and team_id is not null
    order by id desc
    limit ${MOST}`,
  );
  return rows as BranchedTask[];
}
