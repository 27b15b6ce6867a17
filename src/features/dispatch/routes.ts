// The streams of runs: handing a prompt over and hearing what comes of it, and following what somebody else
// began.
import { z } from 'zod';
import { defineStream, type Producer, type Route, type StreamMessage } from '../../http/route.ts';
import type { Principal } from '../../kernel/principal.ts';
import { byRoute } from '../../store/calls.ts';
import type { Dispatch } from './dispatch.ts';
import * as input from './inputs.ts';
import { isOver, readLastEventId } from './rules.ts';
import { type PresentedRun, runSchema } from './run.ts';
import type { Orders } from './start/orders.ts';
import type { Channels } from './stream/channels.ts';

type StreamParts = Readonly<{ dispatch: Dispatch; orders: Orders }>;

export function runStreams(parts: StreamParts): Route[] {
  return [sendRoute(parts), subscribeRoute(parts)];
}

const tag = 'runs';

const sendBody = z.object({
  instance: z
    .string()
    .max(64)
    .optional()
    .describe('Left out: by tag, else the configured default, else the only one.'),
  prompt: input.prompt,
  tag: z.string().max(64).optional(),
  async: z.boolean().optional().describe('Answer { task_id } at once instead of streaming.'),
  idempotencyKey: z.string().min(1).max(200).optional(),
  opts: input.options.optional(),
});

/** The stream that answers at once when it is asked to: so the typed client knows it. */
export type SendApi = Readonly<{
  'POST /v1/send_message': Readonly<{
    given: z.input<typeof sendBody> & Readonly<{ async: true }>;
    answer: Pick<PresentedRun, 'task_id' | 'status' | 'agent'>;
  }>;
}>;

/**
 * `POST /v1/send_message`: the events of the run as lines of JSON. Who hangs up before the end cancels it.
 */
function sendRoute({ dispatch, orders }: StreamParts): Route {
  return defineStream({
    method: 'POST',
    path: '/v1/send_message',
    summary:
      'Hand a prompt to an agent and follow what it says; hanging up cancels it. With async, only { task_id }.',
    tag,
    scope: 'runs:write',
    wire: 'lines',
    refusals: ['not_found', 'too_large', 'limited', 'unavailable'],
    body: sendBody,
    answers: { status: 202, schema: runSchema.pick({ task_id: true, status: true, agent: true }) },
    async open({ body }, { who, signal }) {
      const { async: isAsync = false, idempotencyKey, ...request } = body;
      const wanted = { ...request, tag: request.tag ?? request.opts?.tag };
      const call = byRoute(who, 'send_message', { ...wanted, idempotencyKey });
      const { task_id: id, status, agent } = await orders.send(call, wanted, { signal });
      if (isAsync) return { answer: { task_id: id, status, agent } };
      return streamRun(dispatch, who, id);
    },
  });
}

function streamRun(dispatch: Dispatch, who: Principal, id: string): Producer {
  return async (sink, signal) => {
    let hasEnded = false;
    const shape = (message: StreamMessage): StreamMessage => {
      if (message.event === 'terminal') hasEnded = true;
      return lineOf(message);
    };
    try {
      await followRun(dispatch.channels, { id, after: 0, shape })(sink, signal);
    } finally {
      if (!hasEnded) await dispatch.cancel(byRoute(who, 'cancel_run'), id);
    }
  };
}

const lines = new WeakMap<StreamMessage, StreamMessage>();

/** The event's own JSON with its kind and number in front. */
function lineOf(message: StreamMessage): StreamMessage {
  let line = lines.get(message);
  if (!line) {
    const data =
      typeof message.data === 'string' ? (JSON.parse(message.data) as object) : (message.data as object);
    line = {
      data: JSON.stringify({
        event: message.event,
        ...(message.id !== undefined && { id: message.id }),
        ...data,
      }),
    };
    lines.set(message, line);
  }
  return line;
}

/**
 * `GET /v1/biam/subscribe`, as documented: everything after Last-Event-ID, then live, until `terminal`. What was dropped before the
 * reader came shows as a `gap` without an id, which would otherwise set the reader back.
 */
function subscribeRoute({ dispatch }: StreamParts): Route {
  return defineStream({
    method: 'GET',
    path: '/v1/biam/subscribe',
    summary: 'Follow a run: task, frame and terminal events, from the beginning or after Last-Event-ID.',
    tag,
    scope: 'runs:read',
    wire: 'documented',
    refusals: ['not_found'],
    query: z.object({ task_id: input.taskId }),
    async open({ query }, { who, lastEventId }) {
      const { id, state, nextEvent } = await dispatch.get(byRoute(who, 'subscribe'), query.task_id);
      const after = Math.min(readLastEventId(lastEventId), nextEvent - 1);
      // Whoever has seen the last event of a run that is over has seen everything.
      const hasSeenAll = isOver(state) && after >= nextEvent - 1;
      return hasSeenAll ? async () => undefined : followRun(dispatch.channels, { id, after });
    },
  });
}

type Following = Readonly<{
  id: string;
  after: number;
  /** Turns a stored event into what the wire carries; as it is unless given. */
  shape?(message: StreamMessage): StreamMessage;
}>;

/** What a stream of this run sends. */
function followRun(channels: Channels, { id, after, shape = asIs }: Following): Producer {
  return async (sink, signal) => {
    let seen = after;
    for await (const { messages, last, gapBefore } of channels.follow(id, after, signal)) {
      if (gapBefore !== undefined) sink.send(shape(gapMessage(id, seen, gapBefore)));
      for (const message of messages) if (!sink.send(shape(message))) return;
      seen = last;
      const draining = sink.drained();
      if (draining) await draining;
    }
  };
}

const asIs = (message: StreamMessage): StreamMessage => message;

function gapMessage(runId: string, seen: number, next: number): StreamMessage {
  return {
    event: 'gap',
    data: {
      task_id: runId,
      warning: `${next - seen - 1} events are no longer kept`,
      since_id: seen,
      next_id: next,
    },
  };
}
