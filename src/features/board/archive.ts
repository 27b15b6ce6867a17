import { z } from 'zod';
import { HubError, toHubError } from '../../kernel/errors.ts';
import type { Actor } from '../../kernel/principal.ts';
import { redact } from '../../kernel/redact.ts';
import type { Database, Query, Tx } from '../../store/database.ts';
import { LINKS } from './dependencies.ts';
import { tell } from './narration.ts';
import { isKnown, pageChecks, pageComments, pageEvidence, pageLinks, pageTasks } from './rows/archive.ts';
import { recordClaim } from './rows/claims.ts';
import { insertComment } from './rows/comments.ts';
import { insertDependency, reaches } from './rows/dependencies.ts';
import { insertCheck, insertEvidence } from './rows/evidence.ts';
import { countChild } from './rows/limits.ts';
import { insertTask, findTask } from './rows/tasks.ts';
import { claimOrder, isClaimed } from './rules.ts';
import { recordSchema, type ArchiveRecord } from './record.ts';
import type { StoredTask } from './task.ts';

/** The board as lines of JSON: to keep, to move, to read elsewhere. Reading the same lines twice adds nothing the second time. */
const PAGE = 500;

export async function* exportBoard(db: Database): AsyncGenerator<ArchiveRecord> {
  yield { type: 'archive', version: 1, at: db.now() };
  for await (const { seat: _seat, dropped: _dropped, ...task } of pages(db, pageTasks, { depth: 0, id: '' }))
    yield { type: 'task', ...task };
  for await (const link of pages(db, pageLinks, { taskId: '', dependsOnTaskId: '' })) yield { type: 'link', ...link };
  for await (const comment of pages(db, byId(pageComments), { id: '' })) yield { type: 'comment', ...comment };
  for await (const check of pages(db, byId(pageChecks), { id: '' })) yield { type: 'check', ...check };
  for await (const given of pages(db, byId(pageEvidence), { id: '' })) yield { type: 'evidence', ...given };
}

type Page<K, T extends K> = (q: Query, after: K, limit: number) => Promise<T[]>;

/** Each page is a snapshot of its own: an archive of a busy board never holds a transaction open. */
async function* pages<K, T extends K>(db: Database, page: Page<K, T>, start: K): AsyncGenerator<T> {
  for (let after = start; ;) {
    const found = await db.read((q) => page(q, after, PAGE));
    yield* found;
    if (found.length < PAGE) return;
    after = found.at(-1)!;
  }
}

function byId<T extends { id: string }>(page: (q: Query, after: string, limit: number) => Promise<T[]>): Page<{ id: string }, T> {
  return (q, after, limit) => page(q, after.id, limit);
}

export type ImportReport = { added: number; known: number; problems: { line: number; problem: string }[] };

/** Broken lines are reported with their numbers; everything else is kept. */
export async function importBoard(
  db: Database,
  actor: Actor,
  lines: AsyncIterable<string> | Iterable<string>,
  onProgress: (report: Readonly<ImportReport>) => void = () => {},
): Promise<ImportReport> {
  const report: ImportReport = { added: 0, known: 0, problems: [] };
  let batch: Entry[] = [];
  const store = async () => {
    const outcomes = await db.write(actor, (tx) => storeAll(tx, batch));
    for (const outcome of outcomes) {
      if (typeof outcome === 'string') report[outcome] += 1;
      else report.problems.push(outcome);
    }
    batch = [];
    onProgress(report);
  };
  let line = 0;
  for await (const text of lines) {
    line += 1;
    if (text.trim() === '') continue;
    const record = readRecord(text);
    if (typeof record === 'string') report.problems.push({ line, problem: record });
    else if (record.type !== 'archive') batch.push({ line, record });
    if (batch.length === PAGE) await store();
  }
  if (batch.length > 0) await store();
  report.problems.sort((a, b) => a.line - b.line);
  return report;
}

type Entry = Readonly<{ line: number; record: ArchiveRecord }>;
type Outcome = 'added' | 'known' | { line: number; problem: string };

function readRecord(text: string): ArchiveRecord | string {
  try {
    const parsed = recordSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : z.prettifyError(parsed.error).replaceAll('\n', ' ');
  } catch {
    return 'not valid JSON';
  }
}

async function storeAll(tx: Tx, batch: readonly Entry[]): Promise<Outcome[]> {
  const outcomes: Outcome[] = [];
  for (const { line, record } of batch) {
    try {
      outcomes.push(await tx.attempt((inner) => store(inner, record)));
    } catch (thrown) {
      const error = toHubError(thrown);
      if (error.isRetryable || error.code === 'internal') throw thrown;
      outcomes.push({ line, problem: error.message });
    }
  }
  return outcomes;
}

async function store(tx: Tx, record: ArchiveRecord): Promise<'added' | 'known'> {
  if (record.type === 'archive') return 'known';
  if (record.type === 'link') return storeLink(tx, record);
  if (await isKnown(tx, record.type, record.id)) return 'known';
  if (record.type === 'task') return storeTask(tx, record);
  const task = await requireTask(tx, record.taskId);
  if (record.type === 'comment') await insertComment(tx, { ...record, body: redact(record.body) });
  if (record.type === 'check') await insertCheck(tx, { ...record, title: redact(record.title) });
  if (record.type === 'evidence') {
    if (!(await isKnown(tx, 'check', record.checkId))) throw new HubError('not_found', `its check ${record.checkId} is missing`);
    await insertEvidence(tx, { ...record, summary: redact(record.summary) });
  }
  tell(tx, task, `task.${record.type}_imported`, { id: record.id });
  return 'added';
}

async function storeTask(tx: Tx, record: Extract<ArchiveRecord, { type: 'task' }>): Promise<'added'> {
  const parent = record.parentTaskId === null ? undefined : await requireTask(tx, record.parentTaskId);
  const { type: _type, ...fields } = record;
  const task: StoredTask = {
    ...fields,
    title: redact(fields.title),
    description: fields.description === null ? null : redact(fields.description),
    depth: parent ? parent.depth + 1 : 1,
    dropped: false,
    seat: null,
  };
  if (parent) await countChild(tx, parent.id);
  await insertTask(tx, task, claimOrder(task.priority, task.createdAt));
  if (isClaimed(task) && task.fence > 0) await recordClaim(tx, claimOf(task), task.fence);
  tell(tx, task, 'task.imported', { status: task.status });
  return 'added';
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

async function storeLink(tx: Tx, { taskId, dependsOnTaskId }: Extract<ArchiveRecord, { type: 'link' }>): Promise<'added' | 'known'> {
  const task = await requireTask(tx, taskId);
  await requireTask(tx, dependsOnTaskId);
  await tx.lock(LINKS);
  if (await reaches(tx, dependsOnTaskId, taskId)) throw new HubError('conflict', 'it would create a dependency cycle');
  if (!(await insertDependency(tx, taskId, dependsOnTaskId))) return 'known';
  tell(tx, task, 'task.linked', { dependsOnTaskId });
  return 'added';
}

async function requireTask(q: Query, id: string): Promise<StoredTask> {
  const task = await findTask(q, id);
  if (!task) throw new HubError('not_found', `its task ${id} is missing`);
  return task;
}
