// Which task is meant, and what its caller may see of it.
import { type Principal, seesTeam } from '../../../kernel/principal.ts';
import type { Caller } from '../../../store/calls.ts';
import { mayKnowFence } from '../rules.ts';
import { findTask, lockTask } from '../rows/tasks.ts';
import { presentTask, type StoredTask, type Task } from '../task.ts';
import type { BoardSight, Unit } from '../unit.ts';
import { notFound } from './refusals.ts';
import type { Renewals } from './renewals.ts';

/** A caller bound to a team sees that team's tasks; for it nothing else exists. */
function canSee(who: Principal, task: Pick<StoredTask, 'teamId'>): boolean {
  return seesTeam(who, task.teamId);
}

export async function requireTask(sight: BoardSight, id: string): Promise<StoredTask> {
  return visible(sight, id, await findTask(sight.q, id));
}

/** Held against other writers until the unit ends, so that what was judged is still true when it is changed. */
export async function requireLocked(unit: Unit, id: string): Promise<StoredTask> {
  return visible(unit, id, await lockTask(unit.tx, id));
}

function visible({ caller, renewals }: BoardSight, id: string, task: StoredTask | undefined): StoredTask {
  if (!task || !canSee(caller.who, task)) throw notFound(id);
  return withSigns(task, renewals);
}

/** A lease counts from the holder's last sign of life, also from one not written yet. */
export function withSigns<T extends Pick<StoredTask, 'id' | 'fence' | 'seat' | 'leaseUntil'>>(
  task: T,
  renewals: Renewals,
): T {
  if (task.leaseUntil === null) return task;
  const renewed = renewals.leaseOf(task);
  return renewed !== undefined && renewed > task.leaseUntil ? { ...task, leaseUntil: renewed } : task;
}

/** A task as its caller may see it. */
export function shownTo(caller: Caller, task: StoredTask): Task {
  return presentTask(task, mayKnowFence(task, caller));
}
