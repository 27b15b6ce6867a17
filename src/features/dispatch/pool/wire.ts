// What a hub and a runner say to each other, checked on both sides.
import { z } from 'zod';
import { integerText } from '../../../http/route.ts';
import { OBJECT_FORMATS } from '../../../kernel/git/settings.ts';
import { usageSchema } from '../frames/usage.ts';
import { LIMIT_KINDS } from '../quota/limit.ts';

const word = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[A-Za-z0-9][\w.@+-]*$/);

/** What a runner says it has. More slots than this nobody gets. */
export const MOST_SLOTS = 64;
export const offerFields = {
  process: word.describe('The same for as long as its folder is.'),
  machine: z.string().min(1).max(200),
  system: z.string().max(64),
  version: z.string().max(64),
  slots: z.int().min(0).max(100_000),
  agents: z
    .array(z.object({ instance: word, family: z.string().max(32), lane: z.enum(['acp', 'exec']) }))
    .max(100),
  labels: z.array(word).max(50),
  projects: z.array(z.string().min(1).max(200)).max(200),
  has: z
    .array(z.object({ run: word, attempt: z.int() }))
    .max(200)
    .describe('The attempts that it knows to have.'),
  wait_ms: z.int().min(0).max(30_000).optional(),
};
export type RunnerOffer = z.infer<z.ZodObject<typeof offerFields>>;

const limits = z.object({
  minutes: z.number(),
  idle: z.number(),
  output: z.number(),
  frames: z.number(),
  concurrent: z.number(),
  rate: z.number(),
  dollars: z.number().optional(),
  turns: z.number().optional(),
});

export const claimSchema = z.object({
  run: z.string(),
  attempt: z.int(),
  fence: z.int(),
  lease_until: z.string(),
  now: z.string().describe("The hub's clock: a runner's may be wrong."),
  git: z
    .object({
      url: z.string().describe('A path of the hub.'),
      ref: z.string().describe('The one ref that this attempt may write.'),
      from: z.string().describe('The ref to begin at.'),
      branch: z.string(),
      objects: z.enum(OBJECT_FORMATS).describe('How git names the objects of this repository.'),
    })
    .nullable(),
  token: z.string().describe('Of the agent, for as long as the attempt lives.'),
  order: z.object({
    instance: z.string(),
    agent: z.string(),
    team: z.string().nullable(),
    project: z.string().nullable(),
    prompt: z.string(),
    start_over: z.string().nullable().describe('What it is told where its session cannot be opened again.'),
    model: z.string().nullable(),
    session_id: z.string().nullable(),
    board_task: z.string().nullable(),
    used_before: usageSchema
      .nullable()
      .describe('What its session had used before: some agents count from its beginning.'),
    used: usageSchema.nullable().describe('What earlier parts of this run used.'),
    limits,
  }),
});
export type PlacedRun = z.infer<typeof claimSchema>;

export const MOST_AT_ONCE = 500;
const frame = z.object({
  kind: z.enum(['stdout', 'stderr', 'acp', 'session', 'phase', 'usage']),
  line: z.string().max(512 * 1024),
  ts: z.string().max(40),
  common: z.record(z.string(), z.unknown()).optional().describe('The same in the common form.'),
});
export type WireFrame = z.infer<typeof frame>;

export const whichAttempt = { id: word, attempt: integerText(z.int().min(1)) };
const fence = z.int().min(0);
export const frameFields = {
  fence,
  from: z.int().min(1).describe('The number of the first of these frames, from 1.'),
  frames: z.array(frame).max(MOST_AT_ONCE),
};

const ask = z.object({
  id: word,
  kind: z.enum(['permission', 'budget', 'news']),
  call: z.record(z.string(), z.unknown()).optional(),
  what: z.string().max(2_000).optional(),
});
export type WireAsk = z.infer<typeof ask>;

export const MOST_ASKS = 20;
export const beatFields = {
  fence,
  asks: z
    .array(ask)
    .max(MOST_ASKS)
    .optional()
    .describe('What it waits for an answer to; asked again until it has one.'),
  wait_ms: z.int().min(0).max(25_000).optional().describe('Answered earlier as soon as there is a command.'),
};
const command = z.object({
  kind: z.enum(['cancel', 'answer', 'input']),
  id: z.string().optional(),
  decision: z.enum(['allow', 'deny', 'void']).optional(),
  text: z.string().optional(),
});
export type Command = z.infer<typeof command>;
/** How far its frames were taken. */
export const ackedSchema = z.object({ acked: z.int() });
/** What a hub says instead of an answer. */
export const refusalSchema = z.looseObject({
  error: z.string().optional(),
  message: z.string().optional(),
  hint: z.string().optional(),
  code: z.string().optional(),
});

export const beatSchema = z.object({ lease_until: z.string(), commands: z.array(command) });

const usage = z.record(z.string(), z.unknown());
export const endFields = {
  fence,
  state: z.enum(['done', 'failed', 'cancelled', 'lost', 'handed_over']),
  error: z
    .object({
      class: z.string().max(32),
      text: z.string().max(20_000),
      stderr: z.string().max(20_000).optional(),
    })
    .optional(),
  limit: z
    .object({
      kind: z.enum(LIMIT_KINDS),
      text: z.string().max(20_000),
      resets_at: z.number().optional().describe("When it is over, in ms on the hub's clock."),
      spoken: z.boolean().describe('Its model said or did something before.'),
      session: z.string().max(200).nullable().describe('The session that it began with.'),
    })
    .optional()
    .describe('What its model said that it takes no more: the run waits for it, or another agent goes on.'),
  outcome: z
    .object({
      text: z.string().max(1024 * 1024),
      last: z.string().max(20_000).optional(),
      code: z.int().nullable(),
      signal: z.string().max(20).nullable(),
      session: z.string().max(200).optional(),
      usage: usage.optional(),
    })
    .optional(),
};
export type WireEnd = z.infer<z.ZodObject<typeof endFields>>;
export const endSchema = z.object({ state: z.string() });

export const runnerSchema = z.object({
  name: z.string(),
  state: z.enum(['ready', 'draining', 'lost']),
  slots: z.int(),
  busy: z.int(),
  agents: z.array(z.string()),
  labels: z.array(z.string()),
  projects: z.array(z.string()),
  system: z.string(),
  seenAt: z.string(),
  version: z.string(),
});
export type ShownRunner = z.infer<typeof runnerSchema>;
