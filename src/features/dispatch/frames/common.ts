// The one form in which all families of agents are heard: what each prints is read into this, and everything behind it knows this alone.
import { isObject, readJsonObject } from '../../../kernel/loose-json.ts';
import type { ClientFailure } from '../quota/limit.ts';
import type { Usage } from './usage.ts';

export type { Usage };

/** What an agent said, in one form for all families. The raw line is kept beside it. */
export type Common = Readonly<{ spent?: Spent }> & Said;

type Said =
  | Readonly<{ type: 'text' | 'thought' | 'notice' | 'error'; text: string }>
  | Readonly<{ type: 'tool'; tool: ToolUse }>
  | Readonly<{ type: 'plan'; plan: unknown }>
  | Readonly<{ type: 'approval'; approval: Readonly<Record<string, unknown>> }>
  | Readonly<{ type: 'usage'; usage: Usage }>
  /** Nothing to read: only what the model took. */
  | Readonly<{ type: 'spent'; spent: Spent }>;

/** What a frame says of the model's work up to it; what a client does not say is left out. */
export type Spent = Readonly<{
  /** The call of the model, where several frames come of one. */
  call?: string;
  /** Tokens in its context. */
  context?: number;
  /** So many would fit. */
  window?: number;
  /** Of this run so far. */
  totalUsd?: number;
}>;

export type ToolUse = Readonly<{
  id?: string;
  name: string;
  phase: 'start' | 'update' | 'end';
  input?: unknown;
  ok?: boolean;
}>;

export const NO_USAGE: Usage = {
  inputUncached: 0,
  cacheRead: 0,
  cacheWrite: 0,
  output: 0,
  reasoning: 0,
  costUsd: null,
  turns: 0,
  basis: 'reported',
};

export function addUsage(a: Usage, b: Usage): Usage {
  const sum = (one: number | null, other: number | null) =>
    one === null && other === null ? null : (one ?? 0) + (other ?? 0);
  return {
    inputUncached: a.inputUncached + b.inputUncached,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    output: a.output + b.output,
    reasoning: a.reasoning + b.reasoning,
    costUsd: sum(a.costUsd, b.costUsd),
    turns: a.turns + b.turns,
    basis: a.basis === 'lower_bound' ? a.basis : b.basis,
  };
}

/** The agent's own word about how its work ended. */
export type Verdict = Readonly<{ ok: true; text: string }> | (Readonly<{ ok: false }> & ClientFailure);

/** Understands the lines of one family. */
export interface FrameReader {
  /** Undefined for what is not worth showing in the common form. */
  read(line: string): Common | undefined;
  verdict(): Verdict | undefined;
  sessionId(): string | undefined;
  usage(): Usage | undefined;
}

/** What the frames of one run have told so far. */
export type Telling = { session?: string | undefined; verdict?: Verdict; usage?: Usage };

/**
 * A reader of lines of JSON: `read` understands a frame and notes what it tells. A line that is none is a
 * notice.
 */
export function readFrames(read: (frame: Json, told: Telling) => Common | undefined): FrameReader {
  const told: Telling = {};
  return {
    read(line) {
      const frame = parseObject(line);
      return frame ? read(frame, told) : { type: 'notice', text: line };
    },
    verdict: () => told.verdict,
    sessionId: () => told.session,
    usage: () => told.usage,
  };
}

export type Json = Readonly<Record<string, unknown>>;

export function parseObject(line: string): Json | undefined {
  return line.startsWith('{') ? readJsonObject(line) : undefined;
}

export function asObject(value: unknown): Json | undefined {
  return isObject(value) ? value : undefined;
}

/** A tool as most agents tell of it: by its id when it begins, and by the same id when it is over. */
export function toolBegins(id: unknown, name: unknown, input: unknown): Common {
  return { type: 'tool', tool: { id: asText(id) ?? '', name: asText(name) ?? '', phase: 'start', input } };
}

export function toolEnds(id: unknown, ok: boolean): Common {
  return { type: 'tool', tool: { id: asText(id) ?? '', name: '', phase: 'end', ok } };
}

export function asText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

export function asCount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0;
}

export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
