import type { Query } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { number, table, text, textOrNull } from '../../../store/table.ts';
import type { AuthorType, Comment } from '../detail.ts';

export const comments = table('task_comments', {
  id: text(),
  taskId: text(),
  authorAgentId: textOrNull(),
  authorType: text<AuthorType>(),
  body: text(),
  tenantId: textOrNull(),
  createdAt: number(),
});

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
  { before, limit }: Readonly<{ before?: string | undefined; limit: number }>,
): Promise<Comment[]> {
  const found = await comments.list(
    q,
    sql`where task_id = ${taskId} ${before === undefined ? sql.empty : sql`and id < ${before}`}
    order by id desc
    limit ${limit}`,
  );
  return found.reverse();
}
