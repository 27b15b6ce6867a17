import { z } from 'zod';
import type { ClientFailure } from '../quota/limit.ts';

/** What an agent said, in one form for all families. The raw line is kept beside it. */
export type Common =
  | Readonly<{ type: 'text' | 'thought' | 'notice' | 'error'; text: string }>
  | Readonly<{ type: 'tool'; tool: ToolUse }>
  | Readonly<{ type: 'plan'; plan: unknown }>
  | Readonly<{ type: 'approval'; approval: Readonly<Record<string, unknown>> }>
  | Readonly<{ type: 'usage'; usage: Usage }>;

export type ToolUse = Readonly<{
  id?: string;
  name: string;
  phase: 'start' | 'update' | 'end';
  input?: unknown;
  ok?: boolean;
}>;

/** Tokens of this run alone. `lower_bound`: a turn that was broken off reported nothing. */
export const usageSchema = z.object({
  inputUncached: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
  output: z.number(),
  reasoning: z.number(),
  costUsd: z.number().nullable(),
  turns: z.number(),
  basis: z.enum(['reported', 'lower_bound']),
});
export type Usage = Readonly<z.infer<typeof usageSchema>>;

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
  if (!line.startsWith('{')) return undefined;
  try {
    return asObject(JSON.parse(line));
  } catch {
    return undefined;
  }
}

export function asObject(value: unknown): Json | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : undefined;
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
