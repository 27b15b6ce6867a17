import type { Query, Tx } from '../../../store/database.ts';
import { sql, type Sql } from '../../../store/sql.ts';
import type { AuthorType, Comment } from '../task.ts';

type CommentRow = {
  id: string;
  task_id: string;
  author_agent_id: string | null;
  author_type: AuthorType;
  body: string;
  tenant_id: string | null;
  created_at: number;
};

const columns = sql.raw('id, task_id, author_agent_id, author_type, body, tenant_id, created_at');

function toComment(row: CommentRow): Comment {
  return {
    id: row.id,
    taskId: row.task_id,
    authorAgentId: row.author_agent_id,
    authorType: row.author_type,
    body: row.body,
    tenantId: row.tenant_id,
    createdAt: row.created_at,
  };
}

export async function insertComment(tx: Tx, comment: Comment): Promise<void> {
  await tx.run(sql`
    insert into task_comments (${columns})
    values (${comment.id}, ${comment.taskId}, ${comment.authorAgentId}, ${comment.authorType}, ${comment.body},
      ${comment.tenantId}, ${comment.createdAt})`);
}

export async function countComments(q: Query, taskId: string): Promise<number> {
  const row = await q.get<{ total: number }>(
    sql`select count(*) as total from task_comments where task_id = ${taskId}`,
  );
  return row!.total;
}

/** The newest `limit` comments before `before`, oldest first. Ids grow with time, so they are the order. */
export async function listComments(
  q: Query,
  taskId: string,
  page: Readonly<{ before?: string | undefined; limit: number }>,
): Promise<Comment[]> {
  const earlier = page.before === undefined ? sql.empty : sql`and id < ${page.before}`;
  const found = await selectComments(
    q,
    sql`
    where task_id = ${taskId} ${earlier}
    order by id desc
    limit ${page.limit}`,
  );
  return found.reverse();
}

/** `which`: where, order and limit. */
export async function selectComments(q: Query, which: Sql): Promise<Comment[]> {
  const rows = await q.all<CommentRow>(sql`
    select ${columns}
    from task_comments ${which}`);
  return rows.map(toComment);
}
