// A second import of what another tool has: what changed there since the first one changes here, and what was changed here
// stays. What the source said last is kept beside the task, so that the two can be told apart.
import { sha256 } from '../../../kernel/digest.ts';
import { redact } from '../../../kernel/redact.ts';
import type { Tx } from '../../../store/database.ts';
import { changeTask, lockTask, reorderTask, type TaskChange } from '../rows/tasks.ts';
import { readSaid, writeSaid } from '../rows/said.ts';
import { claimOrder } from '../rules.ts';
import type { StoredTask } from '../task.ts';
import { told } from '../work/narration.ts';
import { isUnproven, settle } from '../work/settle.ts';
import type { Bringing } from '../people/remember.ts';
import type { TransferLine } from './line.ts';

type TaskRecord = Extract<TransferLine, { type: 'task' }>;
type LabelRecord = Extract<TransferLine, { type: 'label' }>;

const WORDS = ['title', 'description', 'priority', 'due', 'externalId'] as const;

/** What was said there of a new task. */
export async function noteSaid(tx: Tx, record: TaskRecord): Promise<void> {
  await writeSaid(tx, record.id, { fields: saidIn(record), labels: [] });
}

/** A label counts once: one that was taken off here does not come back with every import. */
export async function isNewThere(tx: Tx, { taskId, label }: LabelRecord): Promise<boolean> {
  return (await readSaid(tx, taskId))?.labels.includes(label) !== true;
}

export async function noteLabel(tx: Tx, { taskId, label }: LabelRecord): Promise<void> {
  const { fields, labels } = (await readSaid(tx, taskId)) ?? { fields: {}, labels: [] };
  await writeSaid(tx, taskId, { fields, labels: [...labels, label] });
}

export async function renewTask(
  tx: Tx,
  record: TaskRecord,
  bringing: Bringing,
): Promise<'updated' | 'known'> {
  const task = await lockTask(tx, record.id);
  if (!task) return 'known';
  const before = await readSaid(tx, record.id);
  const now = saidIn(record);
  const isNew = (field: string) => before !== undefined && before.fields[field] !== now[field];
  const renew = async () => {
    await writeSaid(tx, record.id, { fields: now, labels: before?.labels ?? [] });
    const worded = await reword(tx, task, { record, isNew });
    return isNew('status') ? moveAs(tx, worded, record) : worded;
  };
  const isAsBefore = task.externalId !== null && !Object.keys(now).some(isNew);
  const renewed = isAsBefore ? await renew() : await bringing.around(tx, record.id, renew);
  return renewed === task ? 'known' : 'updated';
}

function saidIn(record: TaskRecord): Record<string, string> {
  const fields = [...WORDS, 'status'] as const;
  return Object.fromEntries(
    fields.map((field) => [field, sha256(JSON.stringify(record[field])).slice(0, 16)]),
  );
}

type Said = Readonly<{ record: TaskRecord; isNew(field: string): boolean }>;

async function reword(tx: Tx, task: StoredTask, { record, isNew }: Said): Promise<StoredTask> {
  const wanted: Record<string, unknown> = {};
  for (const field of WORDS) {
    const given = record[field];
    const value = typeof given === 'string' ? redact(given) : given;
    // A task that came before there was a field for it has its external id now.
    const isMissing = field === 'externalId' && task.externalId === null;
    if ((isNew(field) || isMissing) && value !== task[field]) wanted[field] = value;
  }
  const fields = Object.keys(wanted);
  if (fields.length === 0) return task;
  const isRevised = 'title' in wanted || 'description' in wanted;
  const changed = await changeTask(tx, task.id, {
    ...(wanted as TaskChange),
    ...(isRevised && { revision: task.revision + 1 }),
  });
  if ('priority' in wanted) await reorderTask(tx, task.id, claimOrder(changed.priority, changed.createdAt));
  tx.emit(told(changed, 'task.updated', { fields: fields.join(','), via: 'import' }));
  return changed;
}

/** What is to be proven here is not done because another tool says so. */
async function moveAs(tx: Tx, task: StoredTask, record: TaskRecord): Promise<StoredTask> {
  if (record.status === 'done' && (await isUnproven(tx, task))) return task;
  const by = record.assigneeAgentId ?? record.scheduledBy;
  return settle(tx, task, { to: record.status, by, via: 'import' });
}
