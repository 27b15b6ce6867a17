// What is shown of landings and evidence.
import { z } from 'zod';

/** What workers and who waits listen to. */
export const LAND_SUBJECT = 'landing';

const LANDING_STATES = [
  'waiting_person',
  'queued',
  'testing',
  'held',
  'landed',
  'conflict',
  'failed',
  'withdrawn',
] as const;
export type LandingState = (typeof LANDING_STATES)[number];

const failingSchema = z.object({ name: z.string(), message: z.string() });
export type Failing = z.infer<typeof failingSchema>;

export const landingSchema = z.object({
  id: z.string(),
  task: z.string(),
  run: z.string().nullable().describe('The run whose branch it is.'),
  title: z.string(),
  branch: z.string(),
  head: z.string().describe('The commit that was asked for.'),
  project: z.string(),
  target: z.string(),
  state: z.enum(LANDING_STATES),
  batch: z.string().nullable(),
  commit: z.string().nullable().describe('What the target moved to with it.'),
  tree: z.string().nullable(),
  why: z.string().nullable(),
  protected: z.array(z.string()).describe('Paths it changes that only a person lets through.'),
  conflicts: z.array(z.string()),
  evidence: z.array(z.string()),
  requestedBy: z.string(),
  approvedBy: z.string().nullable(),
  createdAt: z.int(),
  updatedAt: z.int(),
});
export type LandingView = z.infer<typeof landingSchema>;

export const evidenceSchema = z.object({
  id: z.string(),
  check: z.string(),
  by: z.literal('hub'),
  commit: z.string(),
  tree: z.string(),
  definition: z.string(),
  exit: z.int(),
  passed: z.boolean(),
  confined: z.boolean(),
  reused: z.boolean(),
  flaky: z.boolean().describe('It has failed and passed on one tree.'),
  ms: z.int(),
  tail: z.string(),
  failing: z.array(failingSchema),
  createdAt: z.int(),
});
export type CheckEvidence = z.infer<typeof evidenceSchema>;

export const checkSchema = z.object({
  name: z.string(),
  run: z.string(),
  required: z.boolean(),
  timeoutMs: z.int(),
  network: z.enum(['none', 'open']),
  retries: z.int(),
  setup: z.string().nullable(),
});
