// A whole Being as records, and back. Secrets of `partner_tools` are in it as they are, because another hub has another key;
// the key of a language model and tokens are not. Vectors are not either: the next patrol makes them.
import { HubError } from '../../kernel/errors.ts';
import { redact } from '../../kernel/redact.ts';
import type { Tx } from '../../store/database.ts';
import { isSealedTarget, sealContext } from './documents.ts';
import { type Mind, type Parts, mindOf, requireBeing, tell } from './parts.ts';
import type { BeingRecord } from './record.ts';
import { insertBeing } from './rows/beings.ts';
import { type ClusterRow, clustersOf, insertCluster } from './rows/clusters.ts';
import { docsOf, putDoc, putRelation, relationsOf } from './rows/docs.ts';
import { allMessages, insertMail, insertMessage, mailOf } from './rows/messages.ts';
import { insertNode, type Node, nodesWhere } from './rows/nodes.ts';
import { allNotes, insertNote } from './rows/notes.ts';
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
import { held, type Seen } from './rows/whose.ts';
import { nameKey } from './rules.ts';
import type { Sealing } from './seal.ts';

const ALL = Number.MAX_SAFE_INTEGER;

export async function exportBeing(self: Seen, sealing: Sealing): Promise<BeingRecord[]> {
  const { id, owner, name, marker, createdAt, updatedAt } = await requireBeing(self);
  const runs = (await lastRuns(self, ALL)).filter(({ state }) => state !== 'active').toReversed();
  const open = (target: string, key: string, content: string) =>
    isSealedTarget(target) ? sealing.open(content, sealContext(self.being, target, key)) : content;
  return [
    { kind: 'being', id, owner, name, marker, createdAt, updatedAt },
    ...(await docsOf(self)).map((doc) => ({
      kind: 'doc' as const,
      ...doc,
      target: doc.target as 'soul',
      content: open(doc.target, doc.key, doc.content),
    })),
    ...(await pastOf(self, { limit: ALL })).map((past) => ({
      kind: 'past' as const,
      ...past,
      content: open(past.target, past.name, past.content),
    })),
    ...(await relationsOf(self)).map((relation) => ({ kind: 'relation' as const, ...relation })),
    ...(await allNotes(self)).map(({ kind: type, ...note }) => ({ kind: 'note' as const, type, ...note })),
    ...(await clustersOf(self)).map(fromCluster),
    ...(await nodesWhere(self, { statuses: ['active', 'dying', 'dead'], limit: ALL })).map(fromNode),
    ...(await allMessages(self)).map((message) => ({ kind: 'message' as const, ...message })),
    ...(await mailOf(self, { unreadOnly: false, limit: ALL })).map((mail) => ({
      kind: 'mail' as const,
      ...mail,
    })),
    ...(await lastMerges(self, ALL)).toReversed().map(fromMerge),
    ...(await Promise.all(runs.map((run) => fromRun(self, run)))),
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
  const self = mindOf(parts, held(tx, id));
  await importRecords(self, rest);
  tell(self, 'imported', { records: records.length });
  return id;
}

export async function importRecords(self: Mind, records: readonly BeingRecord[]): Promise<void> {
  await requireBeing(self);
  for (const record of records) await put(self, scrubbed(record));
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

async function put(self: Mind, record: BeingRecord): Promise<void> {
  const kept = (target: string, key: string, content: string) =>
    isSealedTarget(target) ? self.sealing.seal(content, sealContext(self.being, target, key)) : content;
  switch (record.kind) {
    case 'being':
      throw new HubError('invalid', 'An import has one Being only.');
    case 'doc':
      return putDoc(self, { ...record, content: kept(record.target, record.key, record.content) });
    case 'past':
      return insertPast(self, { ...record, content: kept(record.target, record.name, record.content) });
    case 'relation':
      return putRelation(self, record);
    case 'note':
      return insertNote(self, { ...record, kind: record.type });
    case 'cluster':
      return insertCluster(self, record);
    case 'node': {
      const { number } = await self.recalling.file(self, record);
      return insertNode(self, { ...record, number });
    }
    case 'message':
      return insertMessage(self, record);
    case 'mail':
      return insertMail(self, record);
    case 'merge': {
      const { id, createdAt: at, isUndone } = record;
      const absorbed = JSON.parse(record.absorbed) as string[];
      const before = JSON.parse(record.before) as Node[];
      await insertMerge(self, { ...record, absorbed, before, at });
      if (isUndone) await markUndone(self, id);
      return undefined;
    }
    case 'run': {
      const { id: runId, state } = record;
      await insertRun(self, runId, null);
      for (const step of record.steps)
        await insertStep(self, { ...step, runId, details: JSON.parse(step.details) as Details });
      const stats = JSON.parse(record.stats) as RunRow['stats'];
      return saveRun(self, runId, { step: null, stats, state: state === 'failed' ? 'failed' : 'done' });
    }
  }
}

type Details = Readonly<Record<string, unknown>>;

function fromCluster(cluster: ClusterRow): BeingRecord {
  const { id, name, digest, parentId, createdAt, updatedAt } = cluster;
  return { kind: 'cluster', id, name, digest, parentId, createdAt, updatedAt };
}

function fromNode({ number: _number, scene, themes, ...node }: Node): BeingRecord {
  const { actors, when, setting } = scene;
  const copy = { actors: [...actors], when: [...when], ...(setting !== undefined && { setting }) };
  return { kind: 'node', ...node, scene: copy, themes: [...themes] };
}

function fromMerge({ id, runId, survivor, absorbed, before, at, undoneAt }: MergeRow): BeingRecord {
  const texts = { absorbed: JSON.stringify(absorbed), before: JSON.stringify(before) };
  return { kind: 'merge', id, runId, survivor, ...texts, createdAt: at, isUndone: undoneAt !== null };
}

async function fromRun(self: Seen, { id, state, stats }: RunRow): Promise<BeingRecord> {
  const steps = (await stepsOf(self, id)).map(({ step, outcome, details }) => ({
    step,
    outcome,
    details: JSON.stringify(details),
  }));
  return {
    kind: 'run',
    id,
    state,
    stats: JSON.stringify(stats),
    steps: steps.sort((a, b) => (a.step < b.step ? -1 : 1)),
  };
}
