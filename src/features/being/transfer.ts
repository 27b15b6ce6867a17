import { HubError } from '../../kernel/errors.ts';
import { redact } from '../../kernel/redact.ts';
import type { Query, Tx } from '../../store/database.ts';
import { isSealedTarget, placeOf } from './documents.ts';
import { type Parts, requireBeing, tell } from './parts.ts';
import { insertBeing } from './rows/beings.ts';
import { type ClusterRow, clustersOf, insertCluster } from './rows/clusters.ts';
import { type DocRow, docsOf, putDoc, putRelation, type RelationRow, relationsOf } from './rows/docs.ts';
import {
  allMessages,
  insertMail,
  insertMessage,
  type MailRow,
  mailOf,
  type MessageRow,
} from './rows/messages.ts';
import { insertNode, type Node, nodesWhere } from './rows/nodes.ts';
import { allNotes, insertNote, type NoteRow } from './rows/notes.ts';
import { insertPast, pastOf } from './rows/past.ts';
import {
  insertMerge,
  insertRun,
  insertStep,
  lastMerges,
  lastRuns,
  markUndone,
  type MergeRow,
  type RunRow,
  saveRun,
  stepsOf,
} from './rows/runs.ts';
import type { BeingRecord } from './record.ts';
import { nameKey } from './rules.ts';

/**
 * A whole Being as records, and back. Secrets of `partner_tools` are in it as they are, because another hub has another key;
 * the key of a language model and tokens are not. Vectors are not either: the next patrol makes them.
 */
const ALL = Number.MAX_SAFE_INTEGER;

export async function exportBeing({ sealing }: Parts, q: Query, being: string): Promise<BeingRecord[]> {
  const row = await requireBeing(q, being);
  const runs = (await lastRuns(q, being, ALL)).filter(({ state }) => state !== 'active').toReversed();
  const steps = await Promise.all(runs.map((run) => stepsOf(q, being, run.id)));
  const open = (target: string, key: string, content: string) =>
    isSealedTarget(target) ? sealing.open(content, placeOf(being, target, key)) : content;
  const { id, owner, name, marker } = row;
  return [
    { kind: 'being', id, owner, name, marker, createdAt: row.created_at, updatedAt: row.updated_at },
    ...(await docsOf(q, being)).map((doc) => fromDoc(doc, open(doc.target, doc.key, doc.content))),
    ...(await pastOf(q, being, { limit: ALL })).map((past) => ({
      kind: 'past' as const,
      ...past,
      content: open(past.target, past.name, past.content),
    })),
    ...(await relationsOf(q, being)).map(fromRelation),
    ...(await allNotes(q, being)).map(fromNote),
    ...(await clustersOf(q, being)).map(fromCluster),
    ...(await nodesWhere(q, being, { statuses: ['active', 'dying', 'dead'], limit: ALL })).map(fromNode),
    ...(await allMessages(q, being)).map(fromMessage),
    ...(await mailOf(q, being, { unreadOnly: false, limit: ALL })).map(fromMail),
    ...(await lastMerges(q, being, ALL)).toReversed().map(fromMerge),
    ...runs.map((run, i) => fromRun(run, steps[i]!)),
  ];
}

/** Makes the Being of the first record; the rest may follow in pages. */
export async function importBeing(parts: Parts, tx: Tx, records: readonly BeingRecord[]): Promise<string> {
  const [first, ...rest] = records;
  if (first?.kind !== 'being')
    throw new HubError('invalid', 'An import begins with the record of the Being.');
  const { id, owner, name, marker, createdAt, updatedAt } = first;
  if (!(await insertBeing(tx, { id, owner, name, nameKey: nameKey(name), marker, createdAt, updatedAt }))) {
    throw new HubError('conflict', `There is a Being with this id, or one called ${name}, already.`, {
      hint: 'Delete it first.',
    });
  }
  await importRecords(parts, tx, id, rest);
  tell(tx, id, 'imported', { records: records.length });
  return id;
}

export async function importRecords(
  parts: Parts,
  tx: Tx,
  being: string,
  records: readonly BeingRecord[],
): Promise<void> {
  await requireBeing(tx, being);
  for (const record of records) await put(parts, tx, being, scrubbed(record));
}

/** No secret comes in by an import that could not have come in by a call. A sealed text is one, and stays sealed. */
function scrubbed(record: BeingRecord): BeingRecord {
  if ('target' in record && isSealedTarget(record.target)) return record;
  return scrub(record) as BeingRecord;
}

function scrub(value: unknown): unknown {
  if (typeof value === 'string') return redact(value.toWellFormed());
  if (Array.isArray(value)) return value.map(scrub);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value).map(([field, each]) => [
    field,
    HOLDING_JSON.has(field) && typeof each === 'string' ? scrubJson(each) : scrub(each),
  ]);
  return Object.fromEntries(entries) as unknown;
}

/** Fields of records whose text is JSON: it must still be JSON when its secrets are gone. */
const HOLDING_JSON: ReadonlySet<string> = new Set(['meta', 'absorbed', 'before', 'stats', 'details']);

function scrubJson(text: string): string {
  return JSON.stringify(scrub(JSON.parse(text)));
}

async function put({ sealing, recalling }: Parts, tx: Tx, being: string, record: BeingRecord): Promise<void> {
  const kept = (target: string, key: string, content: string) =>
    isSealedTarget(target) ? sealing.seal(content, placeOf(being, target, key)) : content;
  switch (record.kind) {
    case 'being':
      throw new HubError('invalid', 'An import has one Being only.');
    case 'doc': {
      const { target, key } = record;
      return putDoc(tx, being, { ...record, content: kept(target, key, record.content) });
    }
    case 'past': {
      const { kind: _, ...past } = record;
      return insertPast(tx, being, { ...past, content: kept(past.target, past.name, past.content) });
    }
    case 'relation':
      return putRelation(tx, being, record);
    case 'note': {
      const { id, type: kind, state, content, createdAt: created_at, updatedAt: updated_at } = record;
      return insertNote(tx, being, { id, kind, state, content, created_at, updated_at });
    }
    case 'cluster': {
      const { id, name, digest, parentId: parent_id, createdAt: created_at, updatedAt: updated_at } = record;
      return insertCluster(tx, being, { id, name, digest, parent_id, created_at, updated_at });
    }
    case 'node': {
      const { number } = await recalling.file(tx, being, record);
      return insertNode(tx, being, { ...record, number });
    }
    case 'message': {
      const { id, role, content, at, isExtracted } = record;
      return insertMessage(tx, being, { id, role, content, at, is_extracted: isExtracted ? 1 : 0 });
    }
    case 'mail': {
      const {
        id,
        fromId: from_id,
        fromName: from_name,
        content,
        createdAt: created_at,
        readAt: read_at,
      } = record;
      return insertMail(tx, being, { id, from_id, from_name, content, created_at, read_at });
    }
    case 'merge': {
      const { id, runId: run_id, survivor, absorbed, before, createdAt: created_at, isUndone } = record;
      await insertMerge(tx, being, { id, run_id, survivor, absorbed, before, created_at });
      if (isUndone) await markUndone(tx, being, id);
      return undefined;
    }
    case 'run': {
      await insertRun(tx, being, record.id, null);
      for (const step of record.steps) await insertStep(tx, being, record.id, step);
      return saveRun(tx, being, record.id, {
        step: null,
        stats: record.stats,
        state: record.state === 'failed' ? 'failed' : 'done',
      });
    }
  }
}

const times = ({ created_at, updated_at }: Readonly<{ created_at: number; updated_at: number }>) => ({
  createdAt: created_at,
  updatedAt: updated_at,
});

function fromDoc(doc: DocRow, content: string): BeingRecord {
  const { target, key, location, meta, sort } = doc;
  return { kind: 'doc', target: target as 'soul', key, content, location, meta, sort, ...times(doc) };
}

function fromRelation(row: RelationRow): BeingRecord {
  return {
    kind: 'relation',
    type: row.relation_type,
    name: row.entity_name,
    content: row.content,
    ...times(row),
  };
}

function fromNote(row: NoteRow): BeingRecord {
  return { kind: 'note', id: row.id, type: row.kind, state: row.state, content: row.content, ...times(row) };
}

function fromCluster(row: ClusterRow): BeingRecord {
  return {
    kind: 'cluster',
    id: row.id,
    name: row.name,
    digest: row.digest,
    parentId: row.parent_id,
    ...times(row),
  };
}

function fromNode(whole: Node): BeingRecord {
  const { number: _, scene, themes, ...node } = whole;
  const { setting } = scene;
  const copy = {
    actors: [...scene.actors],
    when: [...scene.when],
    ...(setting !== undefined && { setting }),
  };
  return { kind: 'node', ...node, scene: copy, themes: [...themes] };
}

function fromMessage({ id, role, content, at, is_extracted }: MessageRow): BeingRecord {
  return { kind: 'message', id, role, content, at, isExtracted: is_extracted === 1 };
}

function fromMail(row: MailRow): BeingRecord {
  const { id, from_id: fromId, from_name: fromName, content, created_at: createdAt, read_at: readAt } = row;
  return { kind: 'mail', id, fromId, fromName, content, createdAt, readAt };
}

function fromMerge(row: MergeRow): BeingRecord {
  const { id, run_id: runId, survivor, absorbed, before, created_at: createdAt, undone_at } = row;
  return { kind: 'merge', id, runId, survivor, absorbed, before, createdAt, isUndone: undone_at !== null };
}

function fromRun({ id, state, stats }: RunRow, steps: Awaited<ReturnType<typeof stepsOf>>): BeingRecord {
  const told = steps.map(({ step, outcome, details }) => ({ step, outcome, details }));
  return { kind: 'run', id, state, stats, steps: told.sort((a, b) => (a.step < b.step ? -1 : 1)) };
}
