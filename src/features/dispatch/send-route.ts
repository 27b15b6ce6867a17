import { defineStream, type Producer, type Route, type StreamMessage } from '../../http/route.ts';
import { HubError } from '../../kernel/errors.ts';
import { isPerson, type Principal } from '../../kernel/principal.ts';
import { byRoute } from '../../store/acting.ts';
import { callContext } from './governed.ts';
import type { DispatchHouse } from './house.ts';
import * as input from './inputs.ts';
import type { Run } from './run.ts';
import type { SendRequest } from './start/sender.ts';
import { followRun } from './subscribe-route.ts';

/** `POST /v1/send_message`: the events of the run as lines of JSON. Who hangs up before the end cancels it. */
export function sendRoute(house: DispatchHouse): Route {
  return defineStream({
    method: 'POST',
    path: '/v1/send_message',
    summary:
      'Hand a prompt to an agent and follow what it says; hanging up cancels it. With async, only { task_id }.',
    tag: 'runs',
    scope: 'runs:write',
    wire: 'lines',
    refusals: ['not_found', 'too_large', 'limited', 'unavailable'],
    body: input.send,
    async open({ body }, { who, signal }) {
      const { async: isAsync = false, idempotencyKey, ...request } = body;
      const wanted = { ...request, tag: request.tag ?? request.opts?.tag };
      const run = isPerson(who)
        ? await house.dispatch.send(byRoute(who, 'send_message', { ...wanted, idempotencyKey }), wanted)
        : await sendGoverned(house, who, wanted, signal);
      if (isAsync)
        return { answer: { task_id: run.id, status: run.state, agent: run.agent }, status: 202 as const };
      return streamRun(house, who, run);
    },
  });
}

function streamRun(house: DispatchHouse, who: Principal, run: Run): Producer {
  return async (sink, signal) => {
    let isOver = false;
    const shape = (message: StreamMessage): StreamMessage => {
      if (message.event === 'terminal') isOver = true;
      return lineOf(message);
    };
    try {
      await followRun(house, run, 0, shape)(sink, signal);
    } finally {
      if (!isOver) await cancelRun(house, who, run.id);
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

export async function cancelRun(
  { acting, dispatch }: DispatchHouse,
  who: Principal,
  id: string,
): Promise<Run> {
  const run = await acting.change(byRoute(who, 'cancel_run'), (tx, caller) =>
    dispatch.cancel(tx, caller, id),
  );
  dispatch.nudge(id);
  return run;
}

/** An agent over REST passes the same funnel as over MCP. */
export async function sendGoverned(
  house: DispatchHouse,
  who: Principal,
  request: SendRequest,
  signal: AbortSignal,
): Promise<Run> {
  const { instance, prompt, tag, opts } = request;
  const args = {
    prompt,
    async: true,
    ...(instance !== undefined && { instance }),
    ...(tag !== undefined && { tag }),
    ...(opts && { opts }),
  };
  const answered = await house.sendTool.handler(args as never, callContext(who, signal));
  if (!answered.ok) {
    const code = answered.code as ConstructorParameters<typeof HubError>[0];
    throw new HubError(code, answered.line, {
      ...answered.value,
      ...(answered.hint !== undefined && { hint: answered.hint }),
    });
  }
  const { task_id: id } = answered.value as { task_id: string };
  return house.acting.look(byRoute(who, 'send_message'), (q) => house.dispatch.get(q, who, id));
}
