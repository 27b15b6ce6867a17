// What a handler sees of the request it serves: its caller, progress, questions to the client, log lines.
import type { Clock } from '../../kernel/clock.ts';
import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import { isObject } from '../../kernel/loose-json.ts';
import { abilityFor, type Question, type Reply } from '../ask.ts';
import { LOG_LEVELS, type McpLogLevel, type ToolContext, type TraceContext } from '../define.ts';
import { asCapabilities } from '../protocol/abilities.ts';
import { metaOf } from '../protocol/envelope.ts';
import { type Params, RPC, RpcError } from '../protocol/jsonrpc.ts';
import type { Exchange } from './exchange.ts';
import { fits, type Rounds } from './rounds.ts';

type ContextParts = Readonly<{ rounds: () => Rounds; clock: Clock; callMs: number }>;

/** What a handler sees of the request it serves. */
export function openContext(exchange: Exchange, params: Params, parts: ContextParts): ToolContext {
  const { clock, callMs } = parts;
  const meta = metaOf(params);
  const trace = meta && traceOf(meta);
  const context: ToolContext = {
    who: exchange.who,
    profile: exchange.profile,
    signal: exchange.signal,
    callId: newId(),
    deadline: clock.now() + callMs,
    can: exchange.can,
    progress: progressTo(exchange, meta?.['progressToken']),
    isFollowed: isToken(meta?.['progressToken']),
    ask: (questions) => ask(exchange, questions, parts),
    say(level, data, logger) {
      if (!wantsLevel(exchange, level)) return;
      exchange.peer.notify('notifications/message', { level, ...(logger !== undefined && { logger }), data });
    },
    later: (work) => work(context),
    ...(trace && { trace }),
  };
  return context;
}

/** Earlier revisions hear from `info` on until they set a level; 2026-07-28 requests hear nothing unless they ask. */
export function wantsLevel(
  { era, settings }: Pick<Exchange, 'era' | 'settings'>,
  level: McpLogLevel,
): boolean {
  const floor = settings.level ?? (era === 'legacy' ? 'info' : undefined);
  return floor !== undefined && LOG_LEVELS.indexOf(level) >= LOG_LEVELS.indexOf(floor);
}

function isToken(token: unknown): token is string | number {
  return typeof token === 'string' || typeof token === 'number';
}

/** Only who sent a token hears about progress, and it only ever grows. */
function progressTo(exchange: Exchange, token: unknown): ToolContext['progress'] {
  if (!isToken(token)) return () => {};
  let last = -Infinity;
  return (progress, total, message) => {
    if (progress <= last || exchange.signal.aborted) return;
    last = progress;
    exchange.peer.notify('notifications/progress', {
      progressToken: token,
      progress,
      ...(total !== undefined && { total }),
      ...(message !== undefined && { message }),
    });
  };
}

async function ask(
  exchange: Exchange,
  questions: Readonly<Record<string, Question>>,
  { rounds, callMs }: ContextParts,
): Promise<Readonly<Record<string, Reply>>> {
  const lacking = Object.values(questions)
    .map(abilityFor)
    .find((ability) => !exchange.can.has(ability));
  if (exchange.era === 'modern') {
    if (lacking) {
      throw new RpcError(
        RPC.missingCapability,
        `This request needs a client with the ${lacking} capability`,
        {
          data: { requiredCapabilities: asCapabilities(lacking) },
          status: 400,
        },
      );
    }
    return rounds().ask(questions);
  }
  const { peer, signal } = exchange;
  if (lacking || !peer.request) {
    throw new HubError('unavailable', `this client cannot be asked (${lacking ?? 'no stream to ask on'})`, {
      hint: 'Use a client that supports it, and accept text/event-stream over HTTP.',
    });
  }
  const answers: Record<string, Reply> = {};
  for (const [key, question] of Object.entries(questions)) {
    const answer = await peer.request(
      question.method,
      question.params ?? {},
      AbortSignal.any([signal, AbortSignal.timeout(callMs)]),
    );
    if (!isObject(answer) || !fits(question, answer))
      throw new HubError('invalid', `the client's answer to ${question.method} is not one`);
    answers[key] = answer;
  }
  return answers;
}

function traceOf(meta: Params): TraceContext | undefined {
  const { traceparent, tracestate, baggage } = meta;
  if (
    typeof traceparent !== 'string' ||
    !/^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(traceparent)
  )
    return undefined;
  return {
    traceparent,
    ...(typeof tracestate === 'string' && { tracestate }),
    ...(typeof baggage === 'string' && { baggage }),
  };
}
