import type { Query } from '../../../store/database.ts';
import { findTask } from '../rows/tasks.ts';
import { isClaimed, isLapsed } from '../rules.ts';
import { withSigns } from './find.ts';
import type { Renewals } from './renewals.ts';

/** A claim that lives now, as rooms see it that tie something of theirs to it. */
export type Holder = Readonly<{
  taskId: string;
  teamId: string | null;
  agentId: string;
  fence: number;
  claimedAt: number | null;
  leaseUntil: number | null;
}>;

type Moment = Readonly<{ q: Query; now: number; renewals: Renewals }>;

/** The living claims among these tasks. What lapsed is over, swept or not. */
export async function listHolders(
  { q, now, renewals }: Moment,
  taskIds: readonly string[],
): Promise<Holder[]> {
  const holders: Holder[] = [];
  for (const id of new Set(taskIds)) {
    const stored = await findTask(q, id);
    const task = stored && withSigns(stored, renewals);
    if (!task || !isClaimed(task) || isLapsed(task, now)) continue;
    const { teamId, assigneeAgentId, fence, claimedAt, leaseUntil } = task;
    holders.push({ taskId: id, teamId, agentId: assigneeAgentId!, fence, claimedAt, leaseUntil });
  }
  return holders;
}
