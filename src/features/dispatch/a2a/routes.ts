import { z } from 'zod';
import { type Answered, defineRoute, defineStream, type Producer, type Route } from '../../../http/route.ts';
import { HubError, toHubError } from '../../../kernel/errors.ts';
import { asObject, asText } from '../frames/common.ts';
import type { DispatchHouse } from '../house.ts';
import { agentCard } from './card.ts';
import { A2aError, answerA2a, CODES } from './methods.ts';

/** A2A 1.0: the card for everyone, JSON-RPC and its streams for those who hold a token. */
export function a2aRoutes(house: DispatchHouse, address: () => string | undefined): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/.well-known/agent-card.json',
      summary: 'The agent card of A2A: who this is and how to call it.',
      tag: 'runs',
      scope: 'runs:read',
      isPublic: true,
      response: z.looseObject({ name: z.string() }),
      handler: async () => ({ name: 'Holdfast', ...agentCard(house.dispatch.agents(), address() ?? '') }),
    }),
    defineStream({
      method: 'POST',
      path: '/a2a',
      summary:
        'A2A 1.0 over JSON-RPC: SendMessage, SendStreamingMessage, GetTask, ListTasks, CancelTask, SubscribeToTask.',
      tag: 'runs',
      scope: 'runs:write',
      wire: 'documented',
      body: z.looseObject({ method: z.string() }),
      async open({ body }, { who, signal }) {
        const id = body['id'] as string | number | null | undefined;
        const reply = (content: object) => ({ jsonrpc: '2.0', id: id ?? null, ...content });
        try {
          const call = { who, params: asObject(body['params']) ?? {}, signal };
          const answered = await answerA2a(house, asText(body['method']) ?? '', call);
          if ('result' in answered)
            return { answer: reply({ result: answered.result }), status: 200 } satisfies Answered;
          return streamOf(answered.events, (result) => reply({ result }));
        } catch (thrown) {
          return { answer: reply({ error: errorOf(thrown) }), status: 200 } satisfies Answered;
        }
      },
    }),
  ];
}

function streamOf(
  events: (signal: AbortSignal) => AsyncIterable<object>,
  wrap: (event: object) => object,
): Producer {
  return async (sink, signal) => {
    for await (const event of events(signal)) {
      if (signal.aborted || !sink.send({ data: wrap(event) })) return;
      await sink.drained();
    }
  };
}

function errorOf(thrown: unknown): object {
  if (thrown instanceof A2aError) return { code: thrown.code, message: thrown.message };
  const error = thrown instanceof HubError ? thrown : toHubError(thrown);
  const isCallers = error.status < 500;
  return {
    code: isCallers ? CODES.invalid : CODES.internal,
    message: error.message,
    data: [{ code: error.code, hint: error.hint }],
  };
}
