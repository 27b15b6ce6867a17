// A governed tool as data: what it is, what is true of a call of it, what a grant for it covers, and how it runs.
import type { z } from 'zod';
import type { Tool, ToolContext, ToolDefinition, ToolResult } from '../../mcp/define.ts';
import type { Workplace } from '../projects/projects.ts';
import type { Requirement } from './judge/availability.ts';

export type Risk = 'safe' | 'destructive' | 'external';
type Owner = 'core' | 'plugin' | 'channel' | 'mcp';

/**
 * What is true of a call here, however it was spelled: where its paths lead, links resolved, relative to the
 * workspace and with forward slashes; `workspace`, the folder they are in; `sandbox`, how a command is kept
 * in.
 */
export type CallFacts = Readonly<Record<string, string>>;

/** What a grant of `allow_always` would allow: one readable value per argument. */
export type Shape = Readonly<Record<string, string>>;

/** Undefined where no rule says anything. */
export type Ruling = 'allow' | 'deny' | 'ask' | undefined;

/**
 * What an executor gets to know beside the arguments: the facts that were judged. What it finds otherwise is
 * not what was approved.
 */
export type WorldContext = ToolContext &
  Readonly<{
    facts: CallFacts;
    /** Where the call works, as it was judged. */
    place: Workplace;
    /** For what a search comes upon below its path: may this call reach there by the rules of the policy? */
    mayReach(place: string): boolean;
    /** Does any rule speak of paths? Where none does, nothing below a path need be looked at. */
    isReachRuled: boolean;
    /** For where a call is led on: what the rules say of it with another value of one argument. */
    rulingOn(argument: string, value: string): Ruling;
  }>;

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
  /**
   * Found out before anything is decided: rules, grants, inspectors and the hash of an approval see these in
   * place of the arguments of the same name. Throws where the call would reach what is closed. Changes
   * nothing.
   */
  facts?(args: A, place: Workplace): Promise<CallFacts>;
  /** Absent, or undefined for these arguments: a grant covers exactly these and no others. */
  shape?(args: A, facts: CallFacts): Shape | undefined;
  /**
   * What a person may choose for "always", from narrow to wide, `shape` among it. Each is judged by what the call would do, names what it is
   * (a `file`, a folder, an address) so that no two mean different things by one text, and covers this very call.
   */
  ladder?(args: A, facts: CallFacts): readonly Shape[];
  /** Arguments that a person may leave open for "always" while all others stay as they are: of tools whose meaning is not known here. */
  open?(args: A): readonly string[];
  /** Arguments that say where a call comes from and not what it does: no grant looks at them, not even one for exactly this call. */
  incidental?: readonly string[];
  /** What an approver has to know beside the arguments. */
  warn?(args: A, facts: CallFacts): string | undefined;
  /** Arguments that carry content rather than orders: what inspectors find there is noted, not refused. */
  content?: readonly string[];
  /**
   * Throws for a call that could only fail, before a person is asked for it. It changes nothing and reaches
   * nothing outside this machine; whatever it let pass is judged again when it runs.
   */
  precheck?(args: A, context: WorldContext): Promise<void>;
  /** Fields of the answer that may be shortened; of a tool that answers text, the text always may. */
  shorten?: readonly string[];
  /** The answer must reach the caller byte for byte, as a file does that will be edited. */
  isVerbatim?: boolean;
  /** How long one execution may take. */
  timeoutMs?: number;
}>;

/** A tool that reaches outside. Its handler is the executor, and only the broker calls it. */
export type WorldTool = Omit<Tool, 'handler'> &
  Governance<never> &
  Readonly<{ handler(args: never, context: WorldContext): Promise<ToolResult<unknown>> }>;

type Executor<I extends z.ZodObject, O extends z.ZodType> = Readonly<{
  handler(args: z.output<I>, context: WorldContext): Promise<ToolResult<z.output<O>>>;
}>;

export function defineWorldTool<I extends z.ZodObject, O extends z.ZodType>(
  definition: Omit<ToolDefinition<I, O>, 'effect' | 'handler'> & Executor<I, O> & Governance<z.output<I>>,
): WorldTool {
  return { ...definition, effect: 'world' };
}

/** What an executor, and what it asks beforehand, gets to know of the call. */
export function worldOf(
  { facts, place, mayReach, isReachRuled, rulingOn }: Omit<WorldContext, keyof ToolContext>,
  context: ToolContext,
): WorldContext {
  return { ...context, facts, place, mayReach, isReachRuled, rulingOn };
}

export function riskOf(tool: WorldTool): Risk {
  return tool.risk ?? 'safe';
}
