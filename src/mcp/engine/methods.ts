import type { Clock } from '../../kernel/clock.ts';
import type { Log } from '../../kernel/log.ts';
import type { Changes } from '../changes.ts';
import { isLogLevel, LOG_LEVELS, type ToolContext } from '../define.ts';
import type { Overhear } from '../overhear.ts';
import type { AskPostscript, AskPostscripts } from '../postscript.ts';
import { targetOf } from '../protocol/headers.ts';
import { invalidParams, type Params, type RequestMessage, RPC, RpcError } from '../protocol/jsonrpc.ts';
import type { Era } from '../protocol/versions.ts';
import type { Server } from '../registry.ts';
import type { Answer } from '../result.ts';
import type { Seal } from '../seal.ts';
import { openContext } from './context.ts';
import type { Exchange, ExchangeSettings } from './exchange.ts';
import { discover, initialize, ping } from './lifecycle.ts';
import type { EngineLimits } from './limits.ts';
import { listen } from './listen.ts';
import type { Listeners } from './listeners.ts';
import { complete, getPrompt, listPrompts } from './prompts.ts';
import { listResources, listTemplates, readResource, unwatchResource, watchResource } from './resources.ts';
import { callDigest, InputRequired, openRounds, type Rounds } from './rounds.ts';
import { type Tasks, createTasks } from './tasks.ts';
import { createToolCall, listTools } from './tools.ts';

/** One method of the protocol: in which era it exists, which servers offer it, and what it does. */
export type McpMethod = Readonly<{
  era?: Era;
  isOffered?(server: Server): boolean;
  run(request: RequestMessage, exchange: Exchange): Answer | Promise<Answer>;
}>;

export type MethodParts = Readonly<{
  clock: Clock;
  log: Log;
  seal: Seal;
  limits: EngineLimits;
  changes: Changes;
  listeners: Listeners;
  /** Aborted when the hub stops. */
  stopping: AbortSignal;
  postscript: AskPostscript | AskPostscripts | undefined;
  overhear: Overhear | undefined;
}>;

export function createMethods(parts: MethodParts): ReadonlyMap<string, McpMethod> {
  const { clock, log, limits, postscript, overhear } = parts;
  const tasks = createTasks({ clock, log });
  const listening = { ...parts, tasks };
  const call = asked(parts, createToolCall({ log, tasks, postscript, overhear }));
  const read = asked(parts, readResource);
  const prompt = asked(parts, getPrompt);

  return new Map<string, McpMethod>([
    ['initialize', { era: 'legacy', run: (_, exchange) => initialize(exchange) }],
    ['ping', { era: 'legacy', run: ping }],
    [
      'logging/setLevel',
      { era: 'legacy', run: ({ params }, exchange) => setLevel(params, exchange.settings) },
    ],
    ['server/discover', { era: 'modern', run: (_, exchange) => discover(exchange) }],
    [
      'subscriptions/listen',
      { era: 'modern', run: (request, exchange) => cappedListen(listening, request, exchange) },
    ],
    ['tools/list', { run: ({ params }, exchange) => listTools(params, exchange) }],
    ['tools/call', { run: call }],
    [
      'tasks/get',
      { era: 'modern', isOffered: hasTasks, run: ({ params }, exchange) => tasks.get(params, exchange) },
    ],
    [
      'tasks/update',
      { era: 'modern', isOffered: hasTasks, run: ({ params }, exchange) => tasks.update(params, exchange) },
    ],
    [
      'tasks/cancel',
      { era: 'modern', isOffered: hasTasks, run: ({ params }, exchange) => tasks.cancel(params, exchange) },
    ],
    [
      'resources/list',
      { isOffered: hasResources, run: ({ params }, exchange) => listResources(params, exchange) },
    ],
    [
      'resources/templates/list',
      { isOffered: hasResources, run: ({ params }, exchange) => listTemplates(params, exchange) },
    ],
    ['resources/read', { isOffered: hasResources, run: read }],
    [
      'resources/subscribe',
      {
        era: 'legacy',
        isOffered: canBeWatched,
        run: ({ params }, exchange) => watchResource(params, exchange, limits.watched),
      },
    ],
    [
      'resources/unsubscribe',
      {
        era: 'legacy',
        isOffered: canBeWatched,
        run: ({ params }, exchange) => unwatchResource(params, exchange),
      },
    ],
    ['prompts/list', { isOffered: hasPrompts, run: ({ params }, exchange) => listPrompts(params, exchange) }],
    ['prompts/get', { isOffered: hasPrompts, run: prompt }],
    [
      'completion/complete',
      { isOffered: canComplete, run: ({ params }, exchange) => complete(params, exchange) },
    ],
  ]);
}

const hasTasks = ({ tasks }: Server) => tasks !== undefined;
const hasResources = ({ resources }: Server) => resources !== undefined;
const canBeWatched = ({ resources }: Server) => resources?.mayWatch !== undefined;
const hasPrompts = ({ prompts }: Server) => prompts !== undefined;
const canComplete = ({ complete }: Server) => complete !== undefined;

type Work = (params: Params, exchange: Exchange, context: ToolContext) => Promise<Answer>;

/** Work that may ask its client; an unanswered question ends the call with `input_required`. */
function asked({ seal, clock, limits }: MethodParts, work: Work): McpMethod['run'] {
  return async ({ method, params }, exchange) => {
    let rounds: Rounds | undefined;
    const openOnce = () => {
      const target = targetOf(method, params) ?? '';
      const call = callDigest({ method, target, args: params['arguments'], caller: exchange.who.id });
      return (rounds ??= openRounds({ seal, clock }, call, params));
    };
    if (exchange.era === 'modern' && ('requestState' in params || 'inputResponses' in params)) openOnce();
    try {
      const context = openContext(exchange, params, { rounds: openOnce, clock, callMs: limits.callMs });
      return await work(params, exchange, context);
    } catch (thrown) {
      if (thrown instanceof InputRequired) return openOnce().pause(thrown);
      throw thrown;
    }
  };
}

async function cappedListen(
  parts: MethodParts & Readonly<{ tasks: Tasks }>,
  { params, id }: RequestMessage,
  exchange: Exchange,
): Promise<Answer> {
  const { limits, changes, listeners, stopping, tasks } = parts;
  const leave = listeners.enter(exchange.who);
  if ('limit' in leave) {
    throw new RpcError(RPC.internal, `Subscription limit reached (${leave.limit} ${leave.whose})`, {
      data: { code: 'busy', retryable: true },
    });
  }
  try {
    return await listen({ params, id }, exchange, {
      changes,
      stopping,
      tasks,
      maxWatched: limits.watched,
    });
  } finally {
    leave();
  }
}

function setLevel(params: Params, settings: ExchangeSettings): Answer {
  const { level } = params;
  if (!isLogLevel(level)) throw invalidParams(`level must be one of ${LOG_LEVELS.join(', ')}`);
  settings.level = level;
  return { members: '' };
}
