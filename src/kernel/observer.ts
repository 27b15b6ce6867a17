import type { Span } from './span.ts';

/**
 * What a hub tells about its own work, to whoever counts or traces it. Facts are plain numbers and short names, never
 * what a caller wrote; hearing them must be cheap, since every request waits for it.
 */
export interface Observer {
  /** Somebody wants to know what belongs together: work is done in spans. */
  readonly isTracing?: boolean;
  /** A request over HTTP was answered. `route` is the pattern and not what was asked for. */
  request(facts: RequestFacts): void;
  /** A tool was called, over whatever way in. */
  call(facts: ToolCallFacts): void;
  /** Changes were written together. */
  batch(facts: BatchFacts): void;
}

type RequestFacts = Readonly<{
  id: string;
  method: string;
  route: string;
  status: number;
  ms: number;
  /** Which piece of a trace it was, where somebody traces. */
  span: Span | undefined;
}>;

export type ToolCallFacts = Readonly<{
  server: string;
  tool: string;
  outcome: 'ok' | 'error' | 'refused';
  ms: number;
  span?: Span | undefined;
}>;

export type BatchFacts = Readonly<{ units: number; waiting: number; ms: number }>;

/** All of them hear everything. */
export function observeAll(observers: readonly Observer[]): Observer {
  return {
    isTracing: observers.some(({ isTracing }) => isTracing === true),
    request: (facts) => observers.forEach((each) => each.request(facts)),
    call: (facts) => observers.forEach((each) => each.call(facts)),
    batch: (facts) => observers.forEach((each) => each.batch(facts)),
  };
}
