// A tool as data: what it is called, takes, answers and touches, and what its handler sees of a call.
import type { z } from 'zod';
import type { Principal } from '../kernel/principal.ts';
import type { Question, Reply } from './ask.ts';
import type { ContentBlock } from './content.ts';
import type { Abilities } from './protocol/abilities.ts';

export type ToolContext = Readonly<{
  who: Principal;
  signal: AbortSignal;
  /** Unique per call; ties audit rows, logs and idempotent retries together. */
  callId: string;
  /** Epoch ms after which the caller no longer listens. */
  deadline: number;
  progress(done: number, total?: number, message?: string): void;
  /** Its caller hears of progress: it is still there, however long it takes. */
  isFollowed?: boolean;
  /** What the client can be asked for; `tasks` where work of this very call may go on as one. */
  can: Abilities;
  /** Asks the client and waits for all answers, each under the key of its question. Ask before changing anything: see `Question`. */
  ask(questions: Readonly<Record<string, Question>>): Promise<Readonly<Record<string, Reply>>>;
  /**
   * Work that may take long. It goes on in the background as a task where the client can ask for tasks, and is simply
   * awaited everywhere else; its own context is the one to use inside.
   */
  later<O>(work: (context: ToolContext) => Promise<ToolResult<O>>): Promise<ToolResult<O>>;
  /** A log line for the client, if it wants lines of this level. */
  say(level: McpLogLevel, data: unknown, logger?: string): void;
  /** The view its caller chose. */
  profile?: string;
  /** W3C trace context of the caller, when it sent one. */
  trace?: TraceContext;
}>;

export const LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;
export type McpLogLevel = (typeof LOG_LEVELS)[number];

export function isLogLevel(value: unknown): value is McpLogLevel {
  return (LOG_LEVELS as readonly unknown[]).includes(value);
}

export type TraceContext = Readonly<{ traceparent: string; tracestate?: string; baggage?: string }>;

/**
 * What a tool answers. A refusal carries the documented `line` exactly; `value` and `hint`
 * explain it in a second block and in `structuredContent`. `meta` rides the result's `_meta`.
 */
export type ToolResult<O> =
  | Readonly<{
      ok: true;
      value: O;
      text?: string;
      content?: readonly ContentBlock[];
      meta?: Facts;
      /** The work goes on under this id: who can ask for tasks gets one in place of the value. */
      task?: string;
    }>
  | Readonly<{
      ok: false;
      line: string;
      code: string;
      value?: Facts;
      hint?: string;
      /** The blocks as a server of others sent them; absent: made from the rest. */
      content?: readonly ContentBlock[];
      meta?: Facts;
    }>;

type Facts = Readonly<Record<string, unknown>>;

export type ToolAnnotations = Readonly<{
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}>;

/** `read` looks, `state` changes our database (its event is its audit), `world` touches something outside and needs the broker. */
type Effect = 'read' | 'state' | 'world';

export type ToolDefinition<I extends z.ZodObject, O extends z.ZodType> = Readonly<{
  name: string;
  title: string;
  description: string;
  input: I;
  /** Omitted by tools documented as plain text. */
  output?: O;
  annotations: ToolAnnotations;
  scope: string;
  effect: Effect;
  /** Absent: part of the documented list. 'extended': shown only to callers who ask for that profile. */
  profile?: 'extended';
  /** Listed as required, because the document says so; a caller whose connection says who it is may leave them out. */
  requiredUnlessKnown?: readonly string[];
  /** Shown in lists instead of the schema made from `input`, for tools whose schema comes from elsewhere. */
  inputSchema?: Facts;
  outputSchema?: Facts;
  /**
   * Fields of the result that somebody else wrote: the items that have one, and a block of its own, say so. A dot names
   * the item a field stands in; of a tool that answers plain text it is all of it.
   */
  carries?: readonly string[];
  /** What it says of itself was written by a stranger. */
  isForeign?: true;
  /** Too long to wait for: modern clients without the tasks extension are refused. */
  needsTask?: boolean;
  handler(args: z.output<I>, context: ToolContext): Promise<ToolResult<z.output<O>>>;
}>;

/** A tool with its types erased: what registries and hosts handle. */
export type Tool = Omit<ToolDefinition<z.ZodObject, z.ZodType>, 'handler'> &
  Readonly<{
    /** Whose it is: the key of a server or the name of a source. */
    source?: string;
    tags?: readonly string[];
    /** Of a server of others, behind this one. */
    isForeign?: true;
    /** In no list just now, but found by its name, so that its call can say why. Lists are made anew with their version. */
    isHidden?(): boolean;
    handler(args: never, context: ToolContext): Promise<ToolResult<unknown>>;
  }>;

export function defineTool<I extends z.ZodObject, O extends z.ZodType>(
  definition: ToolDefinition<I, O>,
): Tool {
  return definition;
}
