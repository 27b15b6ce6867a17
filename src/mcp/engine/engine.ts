import { systemClock } from '../../kernel/clock.ts';
import type { Clock } from '../../kernel/clock.ts';
import { HubError } from '../../kernel/errors.ts';
import { silentLog } from '../../kernel/log.ts';
import type { Log } from '../../kernel/log.ts';
import { createChangeBoard } from '../changes.ts';
import type { Changes } from '../changes.ts';
import { LOG_LEVELS, isLogLevel } from '../define.ts';
import type { AskPostscript } from '../postscript.ts';
import { targetOf } from '../protocol/headers.ts';
import { RPC, RpcError, errorText, resultText } from '../protocol/jsonrpc.ts';
import type { Params, RequestMessage } from '../protocol/jsonrpc.ts';
import type { Era } from '../protocol/versions.ts';
import type { Server } from '../registry.ts';
import type { Answer } from '../result.ts';
import { createSeal } from '../seal.ts';
import { assemble } from './answer.ts';
import { arrivalOf } from './arrival.ts';
import type { Arrival } from './arrival.ts';
import { openContext } from './context.ts';
import type { Exchange, Settings } from './exchange.ts';
import { discover, initialize, ping } from './lifecycle.ts';
import { listen, relay } from './listen.ts';
import { complete, getPrompt, listPrompts } from './prompts.ts';
import { listResources, listTemplates, readResource, unwatchResource, watchResource } from './resources.ts';
import { InputRequired, callDigest, openRounds } from './rounds.ts';
import type { Rounds } from './rounds.ts';
import { createTasks } from './tasks.ts';
import { callTool, listTools } from './tools.ts';

export type Limits = Readonly<{
  /** How long a call may assume that its caller listens. */
  callMs: number;
  /** Open `subscriptions/listen` requests and legacy streams, all callers together. */
  listeners: number;
  /** Watched resources of one listener. */
  watched: number;
}>;

export const DEFAULT_LIMITS: Limits = { callMs: 300_000, listeners: 1_024, watched: 256 };

/** The text of an answer, and the HTTP status a 2026-07-28 host gives it. */
export type Reply = Readonly<{ text: string; status: number }>;

/** The protocol without a transport: every host hands its requests here, in both eras. */
export interface Engine {
  readonly limits: Limits;
  readonly log: Log;
  readonly clock: Clock;
  handle(request: RequestMessage, exchange: Exchange): Promise<Reply>;
  /** Tells a legacy connection about changes until the returned function is called. */
  relay(server: Server, settings: Settings, notify: (method: string, params?: Params) => void): () => void;
  /** Lets every listener end with a result. */
  stop(): void;
}

export type EngineParts = Readonly<{
  key: Uint8Array;
  clock?: Clock;
  log?: Log;
  changes?: Changes;
  limits?: Partial<Limits>;
  /** Hears of clients that introduce themselves. */
  onArrival?(arrival: Arrival): void;
  /** What goes along with an answer that nobody asked for. */
  postscript?: AskPostscript | undefined;
}>;

type Method = Readonly<{
  era?: Era;
  isOffered?(server: Server): boolean;
  run(request: RequestMessage, exchange: Exchange): Answer | Promise<Answer>;
}>;

export function createEngine(parts: EngineParts): Engine {
  const { clock = systemClock, log = silentLog, changes = createChangeBoard() } = parts;
  const limits: Limits = { ...DEFAULT_LIMITS, ...parts.limits };
  const seal = createSeal(parts.key, 'request state');
  const tasks = createTasks({ clock, log });
  const stopping = new AbortController();
  let listeners = 0;

  /** Runs work that may ask its client; an unanswered question ends the call with `input_required`. */
  async function withContext(
    request: RequestMessage,
    exchange: Exchange,
    work: (context: ReturnType<typeof openContext>) => Promise<Answer>,
  ): Promise<Answer> {
    const { method, params } = request;
    let rounds: Rounds | undefined;
    const openOnce = () =>
      (rounds ??= openRounds(
        { seal, clock },
        callDigest(method, targetOf(method, params) ?? '', params['arguments'], exchange.who.id),
        params,
      ));
    if (exchange.era === 'modern' && ('requestState' in params || 'inputResponses' in params)) openOnce();
    try {
      return await work(openContext(exchange, params, openOnce, clock, limits.callMs));
    } catch (thrown) {
      if (thrown instanceof InputRequired) return openOnce().pause(thrown);
      throw thrown;
    }
  }

  async function listenOnce({ params, id }: RequestMessage, exchange: Exchange): Promise<Answer> {
    if (listeners >= limits.listeners) throw new RpcError(RPC.internal, `Subscription limit reached (${limits.listeners})`);
    listeners += 1;
    try {
      return await listen(params, id, exchange, changes, stopping.signal, limits.watched);
    } finally {
      listeners -= 1;
    }
  }

  const hasResources = (server: Server) => server.resources !== undefined;
  const canBeWatched = (server: Server) => server.resources?.mayWatch !== undefined;
  const hasTasks = (server: Server) => server.tasks === true;
  const hasPrompts = (server: Server) => server.prompts !== undefined;

  const methods: ReadonlyMap<string, Method> = new Map<string, Method>([
    ['initialize', { era: 'legacy', run: (_, exchange) => initialize(exchange) }],
    ['ping', { era: 'legacy', run: ping }],
    ['logging/setLevel', { era: 'legacy', run: ({ params }, exchange) => setLevel(params, exchange.settings) }],
    ['server/discover', { era: 'modern', run: (_, exchange) => discover(exchange) }],
    ['subscriptions/listen', { era: 'modern', run: listenOnce }],
    ['tools/list', { run: ({ params }, exchange) => listTools(params, exchange) }],
    [
      'tools/call',
      {
        run: (request, exchange) =>
          withContext(request, exchange, (context) =>
            callTool(request.params, exchange, context, { log, tasks, postscript: parts.postscript }),
          ),
      },
    ],
    ['tasks/get', { era: 'modern', isOffered: hasTasks, run: ({ params }, exchange) => tasks.get(params, exchange) }],
    ['tasks/update', { era: 'modern', isOffered: hasTasks, run: ({ params }, exchange) => tasks.update(params, exchange) }],
    ['tasks/cancel', { era: 'modern', isOffered: hasTasks, run: ({ params }, exchange) => tasks.cancel(params, exchange) }],
    ['resources/list', { isOffered: hasResources, run: ({ params }, exchange) => listResources(params, exchange) }],
    ['resources/templates/list', { isOffered: hasResources, run: ({ params }, exchange) => listTemplates(params, exchange) }],
    [
      'resources/read',
      {
        isOffered: hasResources,
        run: (request, exchange) => withContext(request, exchange, (context) => readResource(request.params, exchange, context)),
      },
    ],
    [
      'resources/subscribe',
      { era: 'legacy', isOffered: canBeWatched, run: ({ params }, exchange) => watchResource(params, exchange, limits.watched) },
    ],
    ['resources/unsubscribe', { era: 'legacy', isOffered: canBeWatched, run: ({ params }, exchange) => unwatchResource(params, exchange) }],
    ['prompts/list', { isOffered: hasPrompts, run: ({ params }, exchange) => listPrompts(params, exchange) }],
    [
      'prompts/get',
      {
        isOffered: hasPrompts,
        run: (request, exchange) => withContext(request, exchange, (context) => getPrompt(request.params, exchange, context)),
      },
    ],
    [
      'completion/complete',
      { isOffered: (server) => server.complete !== undefined, run: ({ params }, exchange) => complete(params, exchange) },
    ],
  ]);

  return {
    limits,
    log,
    clock,
    async handle(request, exchange) {
      try {
        const method = methods.get(request.method);
        if (!method || (method.era && method.era !== exchange.era) || method.isOffered?.(exchange.server) === false)
          throw methodNotFound(request.method);
        const answer = await method.run(request, exchange);
        const arrival = parts.onArrival && arrivalOf(request, exchange);
        if (arrival) parts.onArrival?.(arrival);
        return { text: resultText(request.id, assemble(answer, exchange)), status: 200 };
      } catch (thrown) {
        const error = asRpcError(thrown, request, log);
        return { text: errorText(request.id, error.code, error.message, error.data), status: error.status };
      }
    },
    relay: (server, settings, notify) => relay(server, settings, changes, notify),
    stop: () => stopping.abort(),
  };
}

function setLevel(params: Params, settings: Settings): Answer {
  const { level } = params;
  if (!isLogLevel(level)) throw new RpcError(RPC.invalidParams, `Invalid params: level must be one of ${LOG_LEVELS.join(', ')}`);
  settings.level = level;
  return { members: '' };
}

function methodNotFound(method: string): RpcError {
  return new RpcError(RPC.methodNotFound, `Method not found: ${method.slice(0, 128)}`, { status: 404 });
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
