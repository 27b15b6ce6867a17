import { z } from 'zod';
import type { Family, RunLimits } from '../../kernel/agent-settings.ts';
import { FIELDS } from '../../kernel/query-fields.ts';
import {
  json,
  jsonOrNull,
  named,
  number,
  numberOrNull,
  type RecordOf,
  text,
  textOrNull,
} from '../../store/table.ts';
import { type Usage, usageSchema } from './frames/usage.ts';
import type { FailureClass } from './quota/limit.ts';
import { type QuotaState, WAIT_KINDS } from './quota/state.ts';

/** The words of this room: what a run looks like inside and on the wire. */
export const STATES = ['pending', 'active', 'done', 'failed', 'cancelled', 'expired'] as const;

/** What can be asked about runs: their states beside those of tasks, as one query goes to every room. */
export const RUN_FIELDS: typeof FIELDS = {
  ...FIELDS,
  status: { kind: 'choice', choices: [...new Set([...(FIELDS['status']!.choices ?? []), ...STATES])] },
};
export type RunStatus = (typeof STATES)[number];

/** Why an active run does not simply run. */
const REASONS = [
  'starting',
  'running',
  'waiting_approval',
  'waiting_input',
  'waiting_quota',
  'cancelling',
] as const;
export type Reason = (typeof REASONS)[number];

export type Lane = 'acp' | 'exec';

export type RunError = Readonly<{ class: FailureClass; text: string; stderr?: string }>;

export type Worktree = Readonly<{
  repository: string;
  path: string;
  branch: string;
  base: string;
  kept: boolean;
}>;

/** What a run asks of whoever takes it. */
export type Wants = Readonly<{
  /** Labels that its runner has. */
  needs: readonly string[];
  /** The one runner that is to have it. */
  on?: string;
  /** So many attempts that are lost may be followed by another. */
  retries: number;
  /** The machine that its folder is on; absent where any folder will do. */
  machine?: string;
}>;

export const runColumns = {
  id: text(),
  instance: text(),
  family: text<Family>(),
  lane: text<Lane>(),
  /** The name it acts under. */
  agent: text(),
  owner: text(),
  team: textOrNull(),
  /** Whose limits hold for it: the project of its folder, else its team. */
  project: textOrNull(),
  cwd: text(),
  prompt: text(),
  model: textOrNull(),
  state: text<RunStatus>(),
  reason: textOrNull<Reason>(),
  parent: textOrNull(),
  hops: number(),
  hub: text(),
  contextId: textOrNull(),
  boardTask: textOrNull(),
  tokenId: textOrNull(),
  /** The agent's own session, to go on with. */
  sessionId: textOrNull(),
  /** The run this one goes on with. */
  resumes: textOrNull(),
  worktree: jsonOrNull<Worktree>(),
  /** It tries its task beside others. */
  trial: textOrNull(),
  limits: json<RunLimits>(),
  /** The number of its last attempt; 0 before the first. */
  attempt: number(),
  /** What whoever acts for it has to know: moved by every claim and whenever it is taken away. */
  fence: number(),
  /** Who has it. */
  runner: textOrNull(),
  /** Since when it may be taken; null before and while somebody has it. */
  queuedAt: numberOrNull(),
  /** Until when it rests. */
  waitUntil: numberOrNull(),
  wants: json<Wants>(),
  /** What it met of limits of its model. */
  quota: jsonOrNull<QuotaState>(),
  nextEvent: number(),
  lastMessage: textOrNull(),
  result: textOrNull(),
  error: jsonOrNull<RunError>(),
  usage: jsonOrNull<Usage>(),
  costUsd: numberOrNull(),
  exitCode: numberOrNull(),
  exitSignal: textOrNull(),
  createdAt: number(),
  startedAt: numberOrNull(),
  closedAt: numberOrNull(),
};
export type Run = Readonly<RecordOf<typeof runColumns>>;

/** What a run is before anything is known of it. */
export const EMPTY_RUN = {
  family: 'command',
  lane: 'exec',
  owner: '',
  hops: 0,
  hub: '',
  parent: null,
  contextId: null,
  resumes: null,
  worktree: null,
  trial: null,
  wants: { needs: [], retries: 0 },
  createdAt: 0,
  state: 'pending',
  reason: null,
  tokenId: null,
  attempt: 0,
  fence: 0,
  runner: null,
  queuedAt: null,
  waitUntil: null,
  quota: null,
  nextEvent: 1,
  lastMessage: null,
  result: null,
  error: null,
  usage: null,
  costUsd: null,
  exitCode: null,
  exitSignal: null,
  startedAt: null,
  closedAt: null,
} as const satisfies Partial<Run>;

/** How an attempt ended; after the last two another may follow, and after `parked` one does. */
export type AttemptEnd = 'done' | 'failed' | 'cancelled' | 'parked' | 'handed_over' | 'lost';

export const attemptColumns = {
  runId: text(),
  n: number(),
  runner: text(),
  /** Whose sign of life counts: a hub's id, or a runner's name. */
  holder: text(),
  /** Where the agent's session is. */
  machine: text(),
  fence: number(),
  leaseUntil: number(),
  startedAt: number(),
  endedAt: numberOrNull(),
  end: named('ended_as', textOrNull<AttemptEnd>()),
  /** The number of the next frame that is taken of it. */
  nextFrame: number(),
  /** The last commit that it pushed. */
  pushed: textOrNull(),
  /** Where that is: the mirror of the hub that took it. */
  mirror: textOrNull(),
};
export type Attempt = Readonly<RecordOf<typeof attemptColumns>>;

const attemptSchema = z.object({
  n: z.int(),
  runner: z.string(),
  fence: z.int(),
  started_at: z.string(),
  ended_at: z.string().optional(),
  end: z.string().optional().describe('done, failed, cancelled, parked, handed_over or lost.'),
});

const partSchema = z.object({
  n: z.int(),
  instance: z.string(),
  session_id: z.string().optional(),
  end: z.string().describe('The limit it met, or how the run ended with it.'),
  text: z.string().optional().describe('What was said about the limit.'),
  usage: usageSchema.optional(),
  cost_usd: z.number().optional(),
  started_at: z.string(),
  ended_at: z.string(),
});

export const runSchema = z.object({
  task_id: z.string(),
  status: z.enum(STATES),
  reason: z.string().optional(),
  waits_for: z
    .object({ kind: z.enum(WAIT_KINDS), instance: z.string(), text: z.string() })
    .optional()
    .describe('What was said about it.'),
  instance: z.string(),
  family: z.string(),
  lane: z.enum(['acp', 'exec']),
  agent: z.string().describe('The name it acts under.'),
  initiated_by: z.string(),
  project: z.string().optional(),
  asked: z.string().optional().describe('The first line of its prompt.'),
  cwd: z.string(),
  created_at: z.string(),
  started_at: z.string().optional(),
  closed_at: z.string().optional(),
  attempt: z.int().describe('The number of its last attempt; 0 before the first.'),
  runner: z.string().optional().describe('Who has it.'),
  phase: z.string().optional().describe('What it does or waits for while it is active.'),
  wait_until: z.string().optional().describe('When a run that waits for its model goes on.'),
  parts: z.array(partSchema).optional().describe('Its starts one by one, where there was more than one.'),
  attempts: z.array(attemptSchema).optional().describe('Where one run is shown.'),
  last_message: z.string().optional(),
  message_count: z.int().describe('Events of its stream so far.'),
  parent: z.string().optional(),
  hops: z.int(),
  board_task: z.string().optional(),
  worktree: z
    .object({ path: z.string(), branch: z.string(), base: z.string(), kept: z.boolean() })
    .optional(),
  trial: z.string().optional().describe('It tries its task beside other runs.'),
  session_id: z.string().optional(),
  resumes: z.string().optional(),
  error: z.object({ class: z.string(), text: z.string(), stderr: z.string().optional() }).optional(),
  usage: usageSchema.optional(),
  cost_usd: z.number().optional(),
  exit: z.object({ code: z.int().nullable(), signal: z.string().nullable() }).optional(),
});
export type PresentedRun = z.infer<typeof runSchema>;

const iso = (at: number): string => new Date(at).toISOString();

export function presentRun(run: Run, attempts?: readonly Attempt[]): PresentedRun {
  const { worktree, exitCode, exitSignal } = run;
  return {
    task_id: run.id,
    status: run.state,
    ...(run.reason !== null && { reason: run.reason }),
    ...(run.quota?.waits && {
      waits_for: { kind: run.quota.waits.kind, instance: run.instance, text: run.quota.waits.text },
    }),
    instance: run.instance,
    family: run.family,
    lane: run.lane,
    agent: run.agent,
    initiated_by: run.owner,
    ...(run.project !== null && { project: run.project }),
    ...(run.prompt.trim() !== '' && { asked: headline(run.prompt) }),
    cwd: run.cwd,
    created_at: iso(run.createdAt),
    ...(run.startedAt !== null && { started_at: iso(run.startedAt) }),
    ...(run.closedAt !== null && { closed_at: iso(run.closedAt) }),
    attempt: run.attempt,
    ...(run.runner !== null && { runner: run.runner }),
    ...(run.reason !== null && { phase: run.reason }),
    ...(run.waitUntil !== null && { wait_until: iso(run.waitUntil) }),
    ...(attempts && { attempts: attempts.map(presentAttempt) }),
    ...(run.lastMessage !== null && { last_message: run.lastMessage }),
    message_count: run.nextEvent - 1,
    ...(run.parent !== null && { parent: run.parent }),
    hops: run.hops,
    ...(run.boardTask !== null && { board_task: run.boardTask }),
    ...(worktree && {
      worktree: { path: worktree.path, branch: worktree.branch, base: worktree.base, kept: worktree.kept },
    }),
    ...(run.trial !== null && { trial: run.trial }),
    ...(run.sessionId !== null && { session_id: run.sessionId }),
    ...(run.resumes !== null && { resumes: run.resumes }),
    ...(run.error && { error: run.error }),
    ...(run.usage && { usage: run.usage }),
    ...(run.costUsd !== null && { cost_usd: run.costUsd }),
    ...((exitCode !== null || exitSignal !== null) && { exit: { code: exitCode, signal: exitSignal } }),
  };
}

function presentAttempt({ n, runner, fence, startedAt, endedAt, end }: Attempt) {
  return {
    n,
    runner,
    fence,
    started_at: iso(startedAt),
    ...(endedAt !== null && { ended_at: iso(endedAt) }),
    ...(end !== null && { end }),
  };
}

/** What is shown in lists: the first line of the last thing said, short. */
export function headline(text: string): string {
  const line =
    text
      .split('\n')
      .find((each) => each.trim() !== '')
      ?.trim() ?? '';
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}
