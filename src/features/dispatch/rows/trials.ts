// SQL of trials: several runs that try one task.
import type { Query, Tx } from '../../../store/database.ts';
import { sql } from '../../../store/sql.ts';
import { flag, number, numberOrNull, type RecordOf, table, text, textOrNull } from '../../../store/table.ts';

export const trials = table('run_trials', {
  id: text(),
  taskId: text(),
  team: textOrNull(),
  owner: text(),
  repository: textOrNull(),
  picked: textOrNull(),
  /** All of them are over, and the task waits for a person. */
  settledAt: numberOrNull(),
  /** One was picked, or nobody wants any: the others go a day later. */
  closedAt: numberOrNull(),
  tidied: flag(),
  createdAt: number(),
});
export type Trial = Readonly<RecordOf<typeof trials.fields>>;

export const trialById = (q: Query, id: string): Promise<Trial | undefined> =>
  trials.find(q, sql`where id = ${id}`);

export const trialsOfTask = (q: Query, taskId: string): Promise<Trial[]> =>
  trials.list(q, sql`where task_id = ${taskId} order by id desc limit 50`);

/** Whatever is not tidied yet: few, and each is looked at. */
export const trialsToSee = (q: Query): Promise<Trial[]> =>
  trials.list(q, sql`where tidied = 0 order by id limit 500`);

/** Only from where it was seen: two that pick at once are one that picked. */
export async function changeTrial(
  tx: Tx,
  { id, settledAt, closedAt }: Trial,
  change: Partial<Trial>,
): Promise<boolean> {
  const isAsSeen = sql`coalesce(settled_at, 0) = ${settledAt ?? 0} and coalesce(closed_at, 0) = ${closedAt ?? 0}`;
  return (await trials.update(tx, change, sql`where id = ${id} and ${isAsSeen}`)) > 0;
}

export const dropTrialsBefore = (tx: Tx, before: number): Promise<number> =>
  trials.delete(tx, sql`where tidied = 1 and created_at < ${before}`);
