import type { z } from 'zod';
import type { Tool, ToolContext, ToolDefinition } from '../../mcp/define.ts';
import type { Requirement } from './availability.ts';

export type Risk = 'safe' | 'destructive' | 'external';
export type Owner = 'core' | 'plugin' | 'channel' | 'mcp';

/** What a grant of `allow_always` would allow: one readable value per argument, wider than the arguments themselves. */
export type Shape = Readonly<Record<string, string>>;

/** What the broker has to know about a tool beside what every tool says of itself. */
export type Governance<A> = Readonly<{
  /** Missing counts as `core`. */
  owner?: Owner;
  /** Missing counts as `safe`. */
  risk?: Risk;
  /** Where it comes from, for policy rules: `builtin`, `core`, or the name of an upstream server. */
  source?: string;
  requires?: Requirement;
  /** Why a person must be asked now, beside its risk: asked anew at every call. */
  asks?(): Readonly<{ reason: string; message: string }> | undefined;
  /** Its operator trusts it with whatever risk it says it has. */
  isTrusted?: boolean;
  /** Absent: a grant covers these exact arguments and no others. */
  shape?(args: A): Shape;
  /** Arguments that carry content rather than orders: what inspectors find there is noted, not refused. */
  content?: readonly string[];
  /**
   * Throws for a call that could only fail, before a person is asked for it. It changes nothing and reaches nothing outside this
   * machine; whatever it let pass is judged again when it runs.
   */
  precheck?(args: A, context: ToolContext): Promise<void>;
  /** Fields of the answer that may be compacted; of a tool that answers text, the text always may. */
  compact?: readonly string[];
  /** The answer must reach the caller byte for byte, as a file does that will be edited. */
  isVerbatim?: boolean;
  /** How long one execution may take. */
  timeoutMs?: number;
}>;

/** A tool that reaches outside. Its handler is the executor, and only the broker calls it. */
export type WorldTool = Tool & Governance<never>;

export function defineWorldTool<I extends z.ZodObject, O extends z.ZodType>(
  definition: Omit<ToolDefinition<I, O>, 'effect'> & Governance<z.output<I>>,
): WorldTool {
  return { ...definition, effect: 'world' };
}

export function riskOf(tool: WorldTool): Risk {
  return tool.risk ?? 'safe';
}
