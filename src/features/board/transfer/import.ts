// Lines of an export become rows: what each kind of line needs, and what is said of one that is broken.
import type { z } from 'zod';
import { HubError, toHubError } from '../../../kernel/errors.ts';
import { newId } from '../../../kernel/ids.ts';
import type { Actor } from '../../../kernel/principal.ts';
import { redact } from '../../../kernel/redact.ts';
import { describeUnknown } from '../../../mcp/validate.ts';
import type { Database, Query, Tx } from '../../../store/database.ts';
import { MOST_PER_TASK as MOST_LABELS } from '../people/labels.ts';
import { type Bringing, NOT_KEPT } from '../people/remember.ts';
import { isKnown } from '../rows/transfer.ts';
import { recordClaim } from '../rows/claims.ts';
import { comments } from '../rows/comments.ts';
import { insertDependency, isLinked, reaches } from '../rows/dependencies.ts';
import { checks, evidence } from '../rows/evidence.ts';
import { holdTask, releaseTasks, takeOverTask } from '../rows/imports.ts';
import { insertLabel, listLabels, setShelved } from '../rows/labels.ts';
import { countChild } from '../rows/limits.ts';
import { readSaid, writeSaid } from '../rows/said.ts';
import { changeTask, findTask, insertTask, reorderTask } from '../rows/tasks.ts';
import { lockAnyTask } from '../rows/undos.ts';
import { claimOrder, isClaimed, isTerminal } from '../rules.ts';
import { INSIDE, type StoredTask } from '../task.ts';
import { LINKS } from '../work/dependencies.ts';
import { told } from '../work/narration.ts';
import { PAGE } from './export.ts';
import { type TransferLine, type ImportReport, recordSchema } from './line.ts';
import { isNewThere, noteLabel, noteSaid, renewTask } from './renew.ts';

export type ImportRequest = Readonly<{
  lines: AsyncIterable<string> | Iterable<string>;
  /** The import these lines are a part of; without one they are an import of their own. */
  importId?: string | undefined;
  /** More is to come: what these lines bring is held until the last of them are in. */
  isPart?: boolean | undefined;
  /** They are what another tool says: what it says anew of a task that is known is taken, too. */
  isRenewing?: boolean | undefined;
  /** Keeps what there was before, where a person imports. */
  bringing?: Bringing;
}>;

/**
 * Broken lines are reported with their numbers; everything else is kept. A task may be read long before what it depends
 * on: nobody can take any of them until the whole import is there. One that broke off is finished by running it again.
 */
export async function importBoard(
  db: Database,
  actor: Actor,
  { lines, importId = newId(), isPart = false, isRenewing = false, bringing = NOT_KEPT }: ImportRequest,
): Promise<ImportReport> {
  const report: ImportReport = { added: 0, known: 0, updated: 0, problems: [] };
  const way = { importId, isRenewing, bringing };
  let batch: Entry[] = [];
  const flush = async (isEnd: boolean) => {
    const outcomes = await db.write(actor, async (tx) => {
      const stored = await storeAll(tx, way, batch);
      await bringing.ended(tx);
      if (isEnd && (await releaseTasks(tx, importId)) > 0)
        tx.emit({ kind: 'board.import_finished', subject: importId, realm: 'hub' });
      return stored;
    });
    for (const outcome of outcomes) {
      if (typeof outcome === 'string') report[outcome] += 1;
      else report.problems.push(outcome);
    }
    batch = [];
  };
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const record = readRecord(text);
    if (typeof record === 'string') report.problems.push({ line, problem: record });
    else if (record.type !== 'archive') batch.push({ line, record });
    if (batch.length === PAGE) await flush(false);
  }
  if (batch.length > 0 || !isPart) await flush(!isPart);
  report.problems.sort((a, b) => a.line - b.line);
  return report;
}

/** Which import it is, and whether it may change what is known. */
type Way = Readonly<{ importId: string; isRenewing: boolean; bringing: Bringing }>;

type Entry = Readonly<{ line: number; record: TransferLine }>;
type Stored = 'added' | 'known' | 'updated';
type Outcome = Stored | { line: number; problem: string };

function readRecord(text: string): TransferLine | string {
  try {
    const given: unknown = JSON.parse(text);
    const parsed = recordSchema.safeParse(given);
    if (!parsed.success) return describeProblems(parsed.error);
    return describeUnknown(recordSchema, given) ?? parsed.data;
  } catch {
    return 'not valid JSON';
  }
}

/** Enough to find the mistake: a line without anything right in it would otherwise name every field of a task. */
const TOLD = 3;

function describeProblems({ issues }: z.ZodError): string {
  const told = issues.slice(0, TOLD).map(({ path, message }) => {
    const problem = message.replace(/^Invalid (?:input|option): /, '');
    return path.length === 0 ? problem : `${path.join('.')}: ${problem}`;
  });
  return [...told, ...(issues.length > TOLD ? [`and ${issues.length - TOLD} more`] : [])].join('; ');
}

/** All under one savepoint, which is what most batches need; a batch with a broken line goes again, line by line. */
async function storeAll(tx: Tx, way: Way, batch: readonly Entry[]): Promise<Outcome[]> {
  try {
    return await tx.attempt(async (inner) => {
      const outcomes: Outcome[] = [];
      for (const { record } of batch) outcomes.push(await store(inner, way, record));
      return outcomes;
    });
  } catch (thrown) {
    refuseBroken(thrown);
    return storeEach(tx, way, batch);
  }
}

async function storeEach(tx: Tx, way: Way, batch: readonly Entry[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { line, record } of batch) {
    try {
      outcomes.push(await tx.attempt((inner) => store(inner, way, record)));
    } catch (thrown) {
      outcomes.push({ line, problem: refuseBroken(thrown).message });
    }
  }
  return outcomes;
}

/** What is wrong with a line is said; what is wrong with the database ends the import. */
function refuseBroken(thrown: unknown): HubError {
  const error = toHubError(thrown);
  if (error.isRetryable || error.code === 'internal') throw thrown;
  return error;
}

async function store(tx: Tx, way: Way, record: TransferLine): Promise<Stored> {
  const { bringing } = way;
  if (record.type === 'archive') return 'known';
  if (record.type === 'task') return storeTask(tx, way, record);
  if (record.type === 'link') return storeLink(tx, way, record);
  if (record.type === 'label') return storeLabel(tx, way, record);
  if (await isKnown(tx, record.type, record.id)) return 'known';
  const task = await requireTask(tx, record.taskId);
  await bringing.brought(tx, record.taskId, { kind: record.type, id: record.id });
  if (record.type === 'comment') await comments.insert(tx, { ...record, body: redact(record.body) });
  if (record.type === 'check') await checks.insert(tx, { ...record, title: redact(record.title) });
  if (record.type === 'evidence') {
    if (!(await isKnown(tx, 'check', record.checkId)))
      throw new HubError('not_found', `its check ${record.checkId} is missing`);
    const reference = record.reference === null ? null : redact(record.reference);
    await evidence.insert(tx, { ...record, summary: redact(record.summary), reference });
  }
  tx.emit(told(task, `task.${record.type}_imported`, { id: record.id }));
  return 'added';
}

type TaskRecord = Extract<TransferLine, { type: 'task' }>;

async function storeTask(tx: Tx, way: Way, record: TaskRecord): Promise<Stored> {
  const { importId, isRenewing, bringing } = way;
  const isThere = await isKnown(tx, 'task', record.id);
  if (isThere && !(await readSaid(tx, record.id))?.isTakenBack) {
    await takeOverTask(tx, record.id, importId);
    return isRenewing ? renewTask(tx, record, bringing) : 'known';
  }
  await addTask(tx, record, { isAgain: isThere });
  await bringing.added(tx, record.id);
  if (isRenewing) await noteSaid(tx, record);
  else if (isThere) await writeSaid(tx, record.id, undefined);
  if (!isTerminal(record.status)) await holdTask(tx, record.id, importId);
  return 'added';
}

async function addTask(
  tx: Tx,
  record: TaskRecord,
  { isAgain }: Readonly<{ isAgain: boolean }>,
): Promise<void> {
  const parent = record.parentTaskId === null ? undefined : await requireTask(tx, record.parentTaskId);
  const { type: _type, archivedAt, ...fields } = record;
  const task: StoredTask = {
    ...INSIDE,
    ...fields,
    title: redact(fields.title),
    description: fields.description === null ? null : redact(fields.description),
    depth: parent ? parent.depth + 1 : 1,
    dropped: false,
  };
  if (parent) await countChild(tx, parent.id);
  if (isAgain) await bringBack(tx, task);
  else await insertTask(tx, task, claimOrder(task.priority, task.createdAt));
  if (archivedAt !== null && isTerminal(task.status)) await setShelved(tx, task.id, archivedAt);
  if (isClaimed(task) && task.fence > 0) await recordClaim(tx, claimOf(task), task.fence);
  tx.emit(told(task, 'task.imported', { status: task.status }));
}

/** As it was the first time; a fence only grows. */
async function bringBack(tx: Tx, { id, createdAt: _createdAt, ...task }: StoredTask): Promise<void> {
  const { fence } = (await lockAnyTask(tx, id))!.task;
  const { priority, createdAt } = await changeTask(tx, id, { ...task, fence: Math.max(fence, task.fence) });
  await reorderTask(tx, id, claimOrder(priority, createdAt));
}

/** The seat did not come along: a holder goes on by its name or its fence. */
function claimOf(task: StoredTask) {
  return {
    taskId: task.id,
    teamId: undefined,
    agentId: task.assigneeAgentId!,
    runtime: task.assigneeRuntime,
    seat: null,
    asserted: true,
    leaseUntil: task.leaseUntil,
  };
}

async function storeLink(
  tx: Tx,
  { bringing }: Way,
  { taskId, dependsOnTaskId }: Extract<TransferLine, { type: 'link' }>,
): Promise<'added' | 'known'> {
  const task = await requireTask(tx, taskId);
  await requireTask(tx, dependsOnTaskId);
  await tx.lock(LINKS);
  if (await reaches(tx, dependsOnTaskId, taskId))
    throw new HubError('conflict', 'it would create a dependency cycle');
  if (await isLinked(tx, taskId, dependsOnTaskId)) return 'known';
  await bringing.around(tx, taskId, () => insertDependency(tx, taskId, dependsOnTaskId));
  tx.emit(told(task, 'task.linked', { dependsOnTaskId }));
  return 'added';
}

async function storeLabel(
  tx: Tx,
  { isRenewing, bringing }: Way,
  record: Extract<TransferLine, { type: 'label' }>,
): Promise<'added' | 'known'> {
  const { taskId, label } = record;
  if (isRenewing && !(await isNewThere(tx, record))) return 'known';
  const task = await requireTask(tx, taskId);
  const labels = await listLabels(tx, taskId);
  if (labels.includes(label)) {
    if (isRenewing) await noteLabel(tx, record);
    return 'known';
  }
  if (labels.length >= MOST_LABELS)
    throw new HubError('limited', `its task has ${MOST_LABELS} labels already`);
  await bringing.around(tx, taskId, async () => {
    await insertLabel(tx, taskId, label);
    if (isRenewing) await noteLabel(tx, record);
  });
  tx.emit(told(task, 'task.labelled', { labels: labels.length + 1 }));
  return 'added';
}

async function requireTask(q: Query, id: string): Promise<StoredTask> {
  const task = await findTask(q, id);
  if (!task) throw new HubError('not_found', `its task ${id} is missing`);
  return task;
}
