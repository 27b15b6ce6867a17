// Runs an executor. Nothing else does, and whatever it does is answered.
import { InputRequired } from '../../../mcp/engine/rounds.ts';
import { RpcError } from '../../../mcp/protocol/jsonrpc.ts';
import type { Executed } from './answer.ts';
import type { Args } from '../judge/inspectors/inspector.ts';
import { failedCall, type Refusal } from '../tell/refusals.ts';
import type { WorldContext, WorldTool } from '../world-tool.ts';

const DEFAULT_TIMEOUT_MS = 120_000;
/** An executor that is told to stop may still hand over what it has. */
const GRACE_MS = 2_000;

/**
 * The one place that runs an executor. Whatever it does (throw, hang, ignore its signal), this answers. It is told to stop
 * by its caller, by its time limit and by a hub that settles.
 */
export async function execute(
  { tool, args }: Readonly<{ tool: WorldTool; args: Args }>,
  context: WorldContext,
  settling: AbortSignal,
): Promise<Executed> {
  const timeoutMs = tool.timeoutMs ?? DEFAULT_TIMEOUT_MS;
  let isTimedOut = false;
  const stopping = new AbortController();
  const timer = setTimeout(() => {
    isTimedOut = true;
    stopping.abort();
  }, timeoutMs);
  const release = passOn([context.signal, settling], stopping);
  const { signal } = stopping;
  const work = Promise.resolve().then(() => tool.handler(args as never, { ...context, signal }));
  try {
    const result = await Promise.race([work, stopped(signal)]);
    if (result !== undefined) return { result, outcome: result.ok ? 'ok' : 'error' };
    work.catch(() => undefined);
    return isTimedOut
      ? { result: hung(tool, timeoutMs), outcome: 'timeout' }
      : { result: givenUp(tool), outcome: 'cancelled' };
  } catch (error) {
    if (isForTheClient(error)) throw error;
    const isCancelled = context.signal.aborted || settling.aborted;
    return { result: failedCall(tool, error), outcome: isCancelled ? 'cancelled' : 'error' };
  } finally {
    clearTimeout(timer);
    release();
  }
}

/** What `AbortSignal.any` does, let go of at once: that one costs more than the rest of a short call. */
function passOn(signals: readonly AbortSignal[], to: AbortController): () => void {
  const stop = (event: Event) => to.abort((event.target as AbortSignal).reason);
  for (const signal of signals) {
    if (signal.aborted) to.abort(signal.reason);
    else signal.addEventListener('abort', stop);
  }
  return () => signals.forEach((signal) => signal.removeEventListener('abort', stop));
}

/** A question to the client, or a refusal of the protocol: neither is an answer of the tool. */
function isForTheClient(error: unknown): boolean {
  return error instanceof InputRequired || error instanceof RpcError;
}

/** Resolves a moment after the signal aborts; never, if it does not. */
function stopped(signal: AbortSignal): Promise<undefined> {
  return new Promise((resolve) => {
    const onAbort = () => setTimeout(() => resolve(undefined), GRACE_MS).unref();
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
}

function hung(tool: WorldTool, timeoutMs: number): Refusal {
  const line = `${tool.name} did not finish within ${timeoutMs / 1000} s and was given up`;
  return {
    ok: false,
    line,
    code: 'unavailable',
    value: { timedOut: true },
    hint: 'What it began may still be going on; look before you call again.',
  };
}

function givenUp(tool: WorldTool): Refusal {
  return { ok: false, line: `${tool.name} was cancelled`, code: 'unavailable' };
}
