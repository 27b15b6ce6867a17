import type { z } from 'zod';
import type { Principal } from '../kernel/principal.ts';

export type ToolContext = Readonly<{
  who: Principal;
  signal: AbortSignal;
  /** Unique per call; ties audit rows, logs and idempotent retries together. */
  callId: string;
  /** Epoch ms after which the caller no longer listens. */
  deadline: number;
  progress(done: number, total?: number, message?: string): void;
}>;

/**
 * What a tool answers. A refusal carries the documented `line` exactly; `value` and `hint`
 * explain it in a second block and in `structuredContent`.
 */
export type ToolResult<O> =
  | Readonly<{ ok: true; value: O; text?: string }>
  | Readonly<{ ok: false; line: string; code: string; value?: Readonly<Record<string, unknown>>; hint?: string }>;

export type ToolAnnotations = Readonly<{
  readOnlyHint: boolean;
  destructiveHint: boolean;
  idempotentHint: boolean;
  openWorldHint: boolean;
}>;

/** `read` looks, `state` changes our database (its event is its audit), `world` touches something outside and needs the broker. */
export type Effect = 'read' | 'state' | 'world';

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
  handler(args: z.output<I>, context: ToolContext): Promise<ToolResult<z.output<O>>>;
}>;

/** A tool with its types erased: what registries and hosts handle. */
export type Tool = Readonly<{
  name: string;
  title: string;
  description: string;
  input: z.ZodObject;
  output?: z.ZodType;
  annotations: ToolAnnotations;
  scope: string;
  effect: Effect;
  profile?: 'extended';
  handler(args: never, context: ToolContext): Promise<ToolResult<unknown>>;
}>;

export function defineTool<I extends z.ZodObject, O extends z.ZodType>(definition: ToolDefinition<I, O>): Tool {
  return definition;
}
