import type { Query } from '../../../store/database.ts';
import { lastOfTask } from '../rows.ts';

/** So often agents try; then a person looks. */
export const CONFLICTS_IN_A_ROW = 2;

/** How often a task conflicted, landing after landing, until now; `but` is one that is being judged. */
export async function conflictsInARow(q: Query, taskId: string, but?: string): Promise<number> {
  const recent = await lastOfTask(q, taskId, CONFLICTS_IN_A_ROW + 1);
  const judged = recent.filter(({ id, state }) => id !== but && state !== 'withdrawn');
  const end = judged.findIndex(({ state }) => state !== 'conflict');
  return end < 0 ? judged.length : end;
}
