// What callers say to a Being, checked once for tools and for `/v1/beings` alike.
import { z } from 'zod';
import { ACTIONS, isUuid, LIMITS, TARGETS } from './rules.ts';
import { sceneSchema } from './scene.ts';

export const uuid = z.string().refine(isUuid, 'must be a UUID');

export const recallShape = {
  user_message: z.string().min(1).max(200_000).describe('The current user message to search against'),
};

export const exploreShape = {
  cluster_id: uuid.optional().describe('Omit to list all clusters'),
  node_id: uuid.optional().describe("A single memory's details (cluster_id not needed)"),
  limit: z.int().min(1).max(500).optional().describe('Max memories to return (default 5)'),
  query: z.string().max(500).optional().describe('Keyword filter applied to the action'),
  no_nodes: z.boolean().optional().describe('Return the digest only'),
};

export const searchShape = {
  query: z.string().min(1).max(8_000).describe('What to look for'),
  limit: z.int().min(1).max(30).optional().describe('Max results (default 10, max 30)'),
  mode: z.enum(['or', 'and']).optional().describe('"or" (default) or "and"; applies to keyword search only'),
};

export const mergeShape = {
  node_ids: z.string().min(1).max(4_000).describe('Comma-separated node UUIDs to merge'),
  summary: z.string().min(1).max(4_000).describe("The merged memory's action text"),
  feeling: z.string().max(2_000).optional().describe('Feeling/emotion for the merged memory'),
};

export const updateShape = {
  target: z.enum(TARGETS),
  action: z.enum(ACTIONS),
  content: z.string().max(LIMITS.text).optional().describe('Content for append/update'),
  key: z.string().max(LIMITS.name).optional().describe('Narrows update/delete/get to a specific entry'),
  location: z.string().max(1_000).optional().describe('Location field for partner_map'),
  to: z.string().max(LIMITS.name).optional().describe('Recipient partner name (party_message only)'),
};

export const patrolShape = {
  messages: z
    .array(z.object({ role: z.string().min(1).max(50), content: z.string().max(100_000) }))
    .max(LIMITS.messages)
    .describe('Messages to process (pass [] to process existing scene notes only)'),
  marker_id: z.string().max(100).optional().describe('Previous patrol marker ID'),
};

export const historyShape = {
  query: z.string().max(1_000).optional().describe('Partial-match keyword'),
  date_from: z.string().max(40).optional().describe('Start date YYYY-MM-DD (inclusive, from 00:00:00 UTC)'),
  date_to: z.string().max(40).optional().describe('End date YYYY-MM-DD (inclusive, until 23:59:59 UTC)'),
  limit: z.int().min(1).max(50).optional().describe('Max results (default 10, max 50)'),
};

export const notesShape = {
  action: z
    .enum(['append', 'update'])
    .optional()
    .describe('Default append. update deletes scene_ids first, then inserts'),
  scenes: z
    .array(sceneSchema)
    .max(LIMITS.scenes)
    .optional()
    .describe('At least one of scenes or notes is required'),
  notes: z
    .array(z.string().min(1).max(4_000))
    .max(LIMITS.notes)
    .optional()
    .describe('Free-form memos; not consumed by patrol'),
  scene_ids: z
    .array(uuid)
    .max(LIMITS.scenes)
    .optional()
    .describe('Existing scenes to delete with action=update'),
};

export const relationShape = {
  entity_name: z.string().min(1).max(LIMITS.name).describe('Name/identifier of the related entity'),
  relation_type: z
    .string()
    .min(1)
    .max(100)
    .describe('Entity category: person, device, ai, organization, etc.'),
  content: z
    .string()
    .max(LIMITS.text)
    .optional()
    .describe('Description of the relationship (required for upsert)'),
  action: z.enum(['upsert', 'delete']).describe('Create/overwrite or remove'),
};

/** What is said in one of these shapes. */
export type Said<S extends z.ZodRawShape> = Readonly<z.output<z.ZodObject<S>>>;
