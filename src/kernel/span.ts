// One piece of work in a trace, as W3C trace context names it. Whoever is asked while it goes on is told which it is, so that what hub,
// source and run did for one call is found under one id. Where nobody traces there is none, and nothing is carried about.
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { sha256 } from './digest.ts';

export type Span = Readonly<{ traceId: string; spanId: string; parentSpanId?: string }>;

const current = new AsyncLocalStorage<Span>();

/** Within what asked for it, if that is known; else within what goes on here; else it begins a trace. */
export function openSpan(traceparent?: unknown): Span {
  const spanId = randomBytes(8).toString('hex');
  const [, traceId, parentSpanId] =
    /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}$/.exec(String(traceparent)) ?? [];
  if (traceId !== undefined && parentSpanId !== undefined) return { traceId, spanId, parentSpanId };
  const around = current.getStore();
  if (around) return { traceId: around.traceId, spanId, parentSpanId: around.spanId };
  return { traceId: randomBytes(16).toString('hex'), spanId };
}

export function inSpan<T>(span: Span, work: () => T): T {
  return current.run(span, work);
}

/** What whoever is asked now is told. */
export function currentTraceparent(): string | undefined {
  const span = current.getStore();
  return span && traceparentOf(span);
}

export function traceparentOf({ traceId, spanId }: Span): string {
  return `00-${traceId}-${spanId}-01`;
}

/** A run goes from hub to hub and outlives all of them: its trace is known by its id alone. */
export function spanOfRun(id: string): Span {
  const hash = sha256(id, 'hex');
  return { traceId: hash.slice(0, 32), spanId: hash.slice(32, 48) };
}
