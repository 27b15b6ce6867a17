import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { json, number, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';

export type PullState = 'open' | 'merged' | 'closed';

export const pulls = table('pull_requests', {
  taskId: text(),
  project: text(),
  repository: text(),
  branch: text(),
  head: text(),
  /** Where it is asked for, as gh names it. */
  slug: text(),
  number: number(),
  url: text(),
  state: text<PullState>(),
  /** The comments that the task has already. */
  heard: json<readonly string[]>(),
  /** Why it could not be looked at the last time. */
  problem: textOrNull(),
  syncedAt: number(),
  createdAt: number(),
});
export type Pull = Readonly<RecordOf<typeof pulls.fields>>;

export const pullOf = (q: Query, taskId: string): Promise<Pull | undefined> =>
  pulls.find(q, sql`where task_id = ${taskId}`);

const MOST_LISTED = 500;

export const newestPulls = (q: Query): Promise<Pull[]> =>
  pulls.list(q, sql`order by created_at desc limit ${MOST_LISTED}`);

/** Those that nobody has looked at for longest. */
export const openPulls = (q: Query, limit: number): Promise<Pull[]> =>
  pulls.list(q, sql`where state = 'open' order by synced_at limit ${limit}`);

export async function changePull(tx: Tx, taskId: string, change: Partial<Pull>): Promise<void> {
  await pulls.update(tx, change, sql`where task_id = ${taskId}`);
}
