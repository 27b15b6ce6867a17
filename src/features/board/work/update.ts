import { HubError } from '../../../kernel/errors.ts';
import { edits, fieldsOf, type StoredTask, type TaskEdit } from '../task.ts';
import type { Unit } from '../unit.ts';
import { edit } from './creation.ts';
import { move, type MoveRequest } from './moves.ts';

export type Update = TaskEdit &
  Readonly<{ taskId: string; status?: MoveRequest['to'] | undefined; override?: MoveRequest['override'] }>;

/** What a task says, its status, or both. Who may only judge the work changes its status and nothing else. */
export async function update(unit: Unit, given: Update): Promise<StoredTask> {
  const { taskId, status, override } = given;
  if (override && status !== 'done') throw new HubError('invalid', 'override belongs to the status done.');
  const isEdited = fieldsOf(edits).some((field) => given[field] !== undefined);
  const edited = isEdited || status === undefined ? await edit(unit, given) : undefined;
  return status === undefined ? edited! : move(unit, { taskId, to: status, override });
}
