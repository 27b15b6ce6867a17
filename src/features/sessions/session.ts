// A session and its turns as they are stored and shown.
import { z } from 'zod';
import { TURN_KINDS } from './readers/reader.ts';

export const sessionSchema = z.object({
  id: z.string(),
  client: z.string(),
  clientId: z.string().describe('Its id in its own client.'),
  project: z.string().nullable(),
  folder: z.string().nullable(),
  branch: z.string().nullable(),
  model: z.string().nullable(),
  title: z.string().nullable(),
  startedAt: z.int(),
  endedAt: z.int(),
  turns: z.int(),
  tokens: z.object({ input: z.int(), output: z.int() }).nullable(),
  costUsd: z.number().nullable(),
  runId: z.string().nullable().describe('The run of the hub that it was.'),
  taskId: z.string().nullable().describe('The task that run was for.'),
});
export type ClientSession = z.infer<typeof sessionSchema>;

const turnSchema = z.object({
  turn: z.int(),
  at: z.int(),
  kind: z.enum(TURN_KINDS),
  text: z.string(),
  tool: z.string().optional(),
  args: z.unknown().optional(),
  isError: z.boolean().optional(),
  cut: z.boolean().optional().describe('There was more.'),
});
export type SessionTurn = z.infer<typeof turnSchema>;

export const pageSchema = z.object({
  session: sessionSchema,
  resume: z.string().nullable(),
  turns: z.array(turnSchema),
  nextTurn: z.int().nullable(),
});
export type SessionPage = z.infer<typeof pageSchema>;

const aroundSchema = turnSchema.pick({ turn: true, kind: true, text: true, tool: true });

export const momentSchema = z.object({
  sessionId: z.string(),
  turn: z.int(),
  kind: z.enum(TURN_KINDS),
  at: z.int(),
  text: z.string(),
  tool: z.string().optional(),
  isError: z.boolean().optional(),
  files: z.array(z.string()).optional(),
  before: z.array(aroundSchema),
  after: z.array(aroundSchema),
  client: z.string(),
  project: z.string().nullable(),
  folder: z.string().nullable(),
  title: z.string().nullable(),
  runId: z.string().nullable().describe('The run of the hub that the session was.'),
  taskId: z.string().nullable().describe('The task that run was for.'),
  resume: z
    .string()
    .nullable()
    .describe('A line for a shell that goes on with that session in its own client.'),
});
export type SessionMoment = z.infer<typeof momentSchema>;

export const clientStateSchema = z.object({
  client: z.string(),
  files: z.int(),
  turns: z.int(),
  unknown: z.int(),
  format: z.enum(['known', 'moved']),
  error: z.string().nullable(),
});
export type ClientState = z.infer<typeof clientStateSchema>;
