import { type Clock, systemClock } from '../../kernel/clock.ts';
import { HubError } from '../../kernel/errors.ts';
import { type Log, silentLog } from '../../kernel/log.ts';
import type { ToolCallFacts, Observer } from '../../kernel/observer.ts';
import { type Knocks, noKnocks } from '../../kernel/knock.ts';
import type { KeySource } from '../../kernel/signing-key.ts';
import { inSpan, openSpan } from '../../kernel/span.ts';
import { MAX_DEPTH, isTooDeep } from '../../kernel/storable.ts';
import { type Changes, createChangeBoard } from '../changes.ts';
import type { Overhear } from '../overhear.ts';
import type { AskPostscript, AskPostscripts } from '../postscript.ts';
import { metaOf } from '../protocol/envelope.ts';
import { errorText, invalidParams, resultText, RPC, RpcError } from '../protocol/jsonrpc.ts';
import type { Params, RequestMessage } from '../protocol/jsonrpc.ts';
import type { Answer } from '../result.ts';
import { createSeal } from '../seal.ts';
import { noSeating, type Seating } from '../seats.ts';
import { assemble } from './answer.ts';
import { type Arrival, arrivalOf } from './arrival.ts';
import type { Exchange } from './exchange.ts';
import { DEFAULT_LIMITS, type EngineLimits } from './limits.ts';
import { createListeners, type Listeners } from './listeners.ts';
import { type ListeningConnection, relay, remind } from './listen.ts';
import { createMethods } from './methods.ts';
import { mayHaveChannel, needsLegacyEra, wake } from './wake.ts';
import { excerpt } from '../../kernel/redact.ts';

/** The text of an answer, and the HTTP status a 2026-07-28 host gives it. */
type EngineReply = Readonly<{ text: string; status: number }>;

/** The protocol without a transport: every host hands its requests here, in both eras. */
export interface Engine {
  readonly listeners: Listeners;
  readonly log: Log;
  readonly clock: Clock;
  readonly seating: Seating;
  handle(request: RequestMessage, exchange: Exchange): Promise<EngineReply>;
  /** Is a client on a stream of its own told that it may be woken? */
  offersChannel(server: Exchange['server'], client: string): boolean;
  /** Can this one be woken in the legacy era alone? */
  hasLegacyEraOnly(server: Exchange['server'], client: string): boolean;
  /** Tells a legacy connection about changes, and of what it should hear while it is idle, until the returned function is called. */
  relay(connection: ListeningConnection, notify: (method: string, params?: Params) => void): () => void;
  /** Tells one that could not hear for a while that anything may have changed. */
  remind(connection: ListeningConnection, notify: (method: string, params?: Params) => void): void;
  /** Lets every listener end with a result. */
  stop(): void;
}

export type EngineParts = Readonly<{
  key: KeySource;
  clock?: Clock;
  log?: Log;
  changes?: Changes;
  limits?: Partial<EngineLimits>;
  /** Hears of clients that introduce themselves. */
  onArrival?(arrival: Arrival): void;
  /** Who sits where. */
  seating?: Seating;
  /** What goes along with an answer that nobody asked for. */
  postscript?: AskPostscript | AskPostscripts | undefined;
  /** How whoever sits idle is reached. */
  knocks?: Knocks | undefined;
  /** Whether clients are told that they may be woken (`claude/channel`). */
  offersChannel?: boolean | undefined;
  /** What rooms make of what others were called for. */
  overhear?: Overhear | undefined;
  /** Hears of every tool call. */
  observer?: Observer | undefined;
}>;

export function createEngine(parts: EngineParts): Engine {
  const {
    clock = systemClock,
    log = silentLog,
    changes = createChangeBoard(),
    seating = noSeating,
    knocks = noKnocks,
    postscript,
  } = parts;
  const limits: EngineLimits = { ...DEFAULT_LIMITS, ...parts.limits };
  const stopping = new AbortController();
  const seal = createSeal(parts.key, 'request state');
  const listeners = createListeners(limits.listeners);
  const methods = createMethods({
    clock,
    log,
    seal,
    limits,
    changes,
    listeners,
    stopping: stopping.signal,
    postscript,
    overhear: parts.overhear,
  });
  return {
    listeners,
    log,
    clock,
    seating,
    async handle(request, exchange) {
      try {
        const method = methods.get(request.method);
        if (
          !method ||
          (method.era && method.era !== exchange.era) ||
          method.isOffered?.(exchange.server) === false
        ) {
          throw new RpcError(RPC.methodNotFound, `Method not found: ${excerpt(request.method, 128)}`, {
            status: 404,
          });
        }
        if (isTooDeep(request.params)) throw tooDeep();
        if (request.method === 'tools/call') seating.heard(exchange.who);
        const answer =
          parts.observer && request.method === 'tools/call'
            ? await observed(parts.observer, callOf(request, exchange), () => method.run(request, exchange))
            : await method.run(request, exchange);
        const arrival = parts.onArrival && arrivalOf(request, exchange);
        if (arrival) parts.onArrival?.(arrival);
        return { text: resultText(request.id, assemble(answer, exchange)), status: 200 };
      } catch (thrown) {
        const error = asRpcError(thrown, request, log);
        return { text: errorText(request.id, error), status: error.status };
      }
    },
    offersChannel: (server, client) => parts.offersChannel === true && mayHaveChannel(server, client),
    hasLegacyEraOnly: (server, client) => parts.offersChannel === true && needsLegacyEra(server, client),
    relay(connection, notify) {
      const stops = [relay(connection, changes, notify), wake(connection, knocks, notify)];
      return () => stops.forEach((stop) => stop());
    },
    remind,
    stop: () => stopping.abort(),
  };
}

/** A call that no tool took has no name worth counting: it is whatever the caller wrote. */
async function observed(
  observer: Observer,
  call: ObservedCall,
  run: () => Answer | Promise<Answer>,
): Promise<Answer> {
  const started = performance.now();
  const span = observer.isTracing ? openSpan(call.traceparent) : undefined;
  const facts = { server: call.server, tool: call.tool, span };
  const passed = () => performance.now() - started;
  try {
    const answer = await (span ? inSpan(span, run) : run());
    observer.call({ ...facts, outcome: answer.isError ? 'error' : 'ok', ms: passed() });
    return answer;
  } catch (thrown) {
    observer.call({ ...facts, tool: 'none', outcome: 'refused', ms: passed() });
    throw thrown;
  }
}

type ObservedCall = Pick<ToolCallFacts, 'server' | 'tool'> & Readonly<{ traceparent: unknown }>;

function callOf({ params }: RequestMessage, { server }: Exchange): ObservedCall {
  const { traceparent } = metaOf(params) ?? {};
  return { server: server.key, tool: String(params['name']).slice(0, 128), traceparent };
}

function tooDeep(): RpcError {
  return invalidParams(`nested more than ${MAX_DEPTH} levels deep`, { status: 400 });
}

/** Resources and prompts have no results with `isError`, so their refusals are protocol errors that keep our code. */
function asRpcError(thrown: unknown, request: RequestMessage, log: Log): RpcError {
  if (thrown instanceof RpcError) return thrown;
  if (thrown instanceof HubError) {
    const code = thrown.status < 500 ? RPC.invalidParams : RPC.internal;
    return new RpcError(code, thrown.message, {
      data: { ...thrown.details, code: thrown.code, hint: thrown.hint, retryable: thrown.isRetryable },
    });
  }
  log.error('a request failed', { method: request.method, error: thrown });
  return new RpcError(RPC.internal, 'Internal error');
}
