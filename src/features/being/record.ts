// One record of an exported Being. Each is read as strictly as if a caller had sent it: what is stored is read again by
// routes and patrols, and what they cannot read would stay in the way for good.
import { z } from 'zod';
import { isUuid, LIMITS } from './rules.ts';
import { sceneSchema } from './scene.ts';

const text = z.string().max(200_000);
const uuid = z.string().refine(isUuid);
const instant = z.int().min(0);
/** The state before a merge holds every memory of it, and no request is longer than that. */
const long = z.string().max(2_000_000);
/** Text that holds JSON of a shape of its own. */
const json = (shape: z.ZodType, what: string) =>
  long.refine((value) => isJsonOf(shape, value), `must be the JSON text of ${what}`);

function isJsonOf(shape: z.ZodType, value: string): boolean {
  try {
    return shape.safeParse(JSON.parse(value)).success;
  } catch {
    return false;
  }
}

const facts = z.record(z.string(), z.unknown());
const counts = z.record(z.string(), z.number());
const moment = z.union([
  sceneSchema.shape.when.element,
  z.object({ date: sceneSchema.shape.when.element, action: text }),
]);

const nodeFields = {
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
};

/** As a merge wrote it down; where it was filed then means nothing here. */
const nodeBefore = z.looseObject(nodeFields);

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
    meta: json(facts, 'an object').nullable(),
    sort: z.int(),
    createdAt: instant,
    updatedAt: instant,
  }),
  z.object({
    kind: z.literal('past'),
    id: uuid,
    target: z.string().min(1).max(100),
    name: text,
    content: text,
    location: text.nullable(),
    at: instant,
  }),
  z.object({
    kind: z.literal('relation'),
    type: z.string().min(1).max(100),
    name: z.string().min(1).max(LIMITS.name),
    content: text,
    createdAt: instant,
    updatedAt: instant,
  }),
  z
    .object({
      kind: z.literal('note'),
      id: uuid,
      type: z.enum(['scene', 'note']),
      state: z.enum(['open', 'failed']),
      content: text,
      createdAt: instant,
      updatedAt: instant,
    })
    .refine(
      ({ type, state, content }) =>
        type === 'note' || state === 'failed' || isJsonOf(sceneSchema.strict(), content),
      {
        path: ['content'],
        message: 'must be the JSON text of a scene',
      },
    ),
  z.object({
    kind: z.literal('cluster'),
    id: uuid,
    name: text,
    digest: text,
    parentId: uuid.nullable(),
    createdAt: instant,
    updatedAt: instant,
  }),
  z.object({ kind: z.literal('node'), ...nodeFields }),
  z.object({
    kind: z.literal('message'),
    id: uuid,
    role: z.string().min(1).max(50),
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
    absorbed: json(z.array(uuid), 'a list of ids'),
    before: json(z.array(nodeBefore), 'a list of memories'),
    createdAt: instant,
    isUndone: z.boolean(),
  }),
  z.object({
    kind: z.literal('run'),
    id: uuid,
    state: z.enum(['active', 'done', 'failed']),
    stats: json(counts, 'an object of numbers'),
    steps: z.array(
      z.object({
        step: z.string().min(1).max(100),
        outcome: z.enum(['done', 'skipped', 'failed']),
        details: json(facts, 'an object'),
      }),
    ),
  }),
]);
export type BeingRecord = z.output<typeof recordSchema>;
