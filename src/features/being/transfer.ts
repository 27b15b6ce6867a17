import { z } from 'zod';
import { HubError } from '../../kernel/errors.ts';
import type { Query, Tx } from '../../store/database.ts';
import { placeOf } from './documents.ts';
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
import { isUuid, nameKey } from './rules.ts';
import { sceneSchema } from './scene.ts';

/**
 * A whole Being as records, and back. Secrets of `partner_tools` are in it as they are, because another hub has another key;
 * the key of a language model and tokens are not. Vectors are not either: the next patrol makes them.
 */
const text = z.string().max(200_000);
const uuid = z.string().refine(isUuid);
const instant = z.int().min(0);
const moment = z.union([
  sceneSchema.shape.when.element,
  z.object({ date: sceneSchema.shape.when.element, action: text }),
]);

export const recordSchema = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('being'),
    id: uuid,
    owner: z.string().min(1).max(80),
    name: z.string().min(1).max(80),
    marker: z.string().max(100).nullable(),
    createdAt: instant,
    updatedAt: instant,
  }),
  z.object({
    kind: z.literal('doc'),
    target: z.enum([
      'soul',
      'preferences',
      'knowledge',
      'relationship',
      'partner_tools',
      'partner_map',
      'diary',
      'partner_rules',
    ]),
    key: z.string().min(1).max(200),
    content: text,
    location: text.nullable(),
    meta: text.nullable(),
    sort: z.int(),
    createdAt: instant,
    updatedAt: instant,
  }),
  z.object({
    kind: z.literal('relation'),
    type: text,
    name: text,
    content: text,
    createdAt: instant,
    updatedAt: instant,
  }),
  z.object({
    kind: z.literal('note'),
    id: uuid,
    type: z.enum(['scene', 'note']),
    state: z.enum(['open', 'failed']),
    content: text,
    createdAt: instant,
    updatedAt: instant,
  }),
  z.object({
    kind: z.literal('cluster'),
    id: uuid,
    name: text,
    digest: text,
    parentId: uuid.nullable(),
    createdAt: instant,
    updatedAt: instant,
  }),
  z.object({
    kind: z.literal('node'),
    id: uuid,
    clusterId: uuid,
    action: text,
    scene: z.object({ actors: z.array(text), when: z.array(moment), setting: text.optional() }),
    feeling: text.nullable(),
    themes: z.array(text),
    importance: z.number().min(0).max(1),
    status: z.enum(['active', 'dying', 'dead']),
    reason: z.enum(['decayed', 'absorbed', 'merged']).nullable(),
    replacedBy: uuid.nullable(),
    isFresh: z.boolean(),
    isPinned: z.boolean(),
    cycles: z.int(),
    reactivations: z.int(),
    dyingCycles: z.int(),
    lastActivated: instant,
    createdAt: instant,
    updatedAt: instant,
  }),
  z.object({
    kind: z.literal('message'),
    id: uuid,
    role: text,
    content: text,
    at: instant,
    isExtracted: z.boolean(),
  }),
  z.object({
    kind: z.literal('mail'),
    id: uuid,
    fromId: text,
    fromName: text,
    content: text,
    createdAt: instant,
    readAt: instant.nullable(),
  }),
  z.object({
    kind: z.literal('merge'),
    id: uuid,
    runId: text.nullable(),
    survivor: uuid,
    absorbed: text,
    before: text,
    createdAt: instant,
    isUndone: z.boolean(),
  }),
  z.object({
    kind: z.literal('run'),
    id: uuid,
    state: z.enum(['active', 'done', 'failed']),
    stats: text,
    steps: z.array(z.object({ step: text, outcome: z.enum(['done', 'skipped', 'failed']), details: text })),
  }),
]);
export type BeingRecord = z.output<typeof recordSchema>;

const ALL = Number.MAX_SAFE_INTEGER;

export async function exportBeing({ sealing }: Parts, q: Query, being: string): Promise<BeingRecord[]> {
  const row = await requireBeing(q, being);
  const runs = (await lastRuns(q, being, ALL)).filter(({ state }) => state !== 'active').toReversed();
  const steps = await Promise.all(runs.map((run) => stepsOf(q, being, run.id)));
  const open = (doc: DocRow) =>
    doc.target === 'partner_tools'
      ? sealing.open(doc.content, placeOf(being, doc.target, doc.key))
      : doc.content;
  const { id, owner, name, marker } = row;
  return [
    { kind: 'being', id, owner, name, marker, createdAt: row.created_at, updatedAt: row.updated_at },
    ...(await docsOf(q, being)).map((doc) => fromDoc(doc, open(doc))),
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
  for (const record of records) await put(parts, tx, being, record);
}

async function put({ sealing, recalling }: Parts, tx: Tx, being: string, record: BeingRecord): Promise<void> {
  switch (record.kind) {
    case 'being':
      throw new HubError('invalid', 'An import has one Being only.');
    case 'doc': {
      const { target, key } = record;
      const content =
        target === 'partner_tools'
          ? sealing.seal(record.content, placeOf(being, target, key))
          : record.content;
      return putDoc(tx, being, { ...record, content });
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
