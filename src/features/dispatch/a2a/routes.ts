import { z } from 'zod';
import { type Answered, defineRoute, defineStream, type Producer, type Route } from '../../../http/route.ts';
import { hasScope } from '../../../kernel/principal.ts';
import { excerpt } from '../../../kernel/redact.ts';
import { asObject, asText } from '../frames/common.ts';
import type { A2aParts } from './call.ts';
import { agentCard } from './card.ts';
import { A2aError, errorOf } from './errors.ts';
import { answerA2a, METHOD_NAMES } from './methods.ts';
import { inCamelCase } from './names.ts';

const rpcId = z.union([z.string(), z.number(), z.null()]);

const rpcAnswer = z.object({
  jsonrpc: z.literal('2.0'),
  id: rpcId,
  result: z.looseObject({}).optional(),
  error: z
    .object({ code: z.int(), message: z.string(), data: z.array(z.looseObject({})).optional() })
    .optional(),
});

/** A2A 1.0: the card for everyone, its agents and JSON-RPC with its streams for those who are known here. */
export function a2aRoutes(parts: A2aParts, address: () => string | undefined): Route[] {
  return [
    defineRoute({
      method: 'GET',
      path: '/.well-known/agent-card.json',
      summary: 'The agent card of A2A: who this is and how to call it; its agents only for who may see runs.',
      tag: 'runs',
      scope: 'runs:read',
      isPublic: true,
      // Agents come and go with the configuration.
      cache: 'max-age=60',
      response: z.looseObject({ name: z.string() }),
      handler: async (_input, { who }) => {
        const agents = hasScope(who, 'runs:read') ? parts.dispatch.agents() : [];
        return { name: 'Holdfast', ...agentCard(agents, address() ?? '') };
      },
    }),
    defineStream({
      method: 'POST',
      path: '/a2a',
      summary: `A2A 1.0 over JSON-RPC (A2A-Version: 1.0): ${METHOD_NAMES.join(', ')}.`,
      tag: 'runs',
      scope: 'runs:write',
      wire: 'documented',
      query: z.object({
        [VERSION]: z.string().max(20).optional().describe('For clients that cannot set the header.'),
      }),
      body: z.looseObject({ jsonrpc: z.literal('2.0'), id: rpcId.optional(), method: z.string() }),
      answers: { status: 200, schema: rpcAnswer },
      async open({ body, query }, { who, signal, header }) {
        const reply = (content: object) => ({ jsonrpc: '2.0', id: body.id ?? null, ...content });
        try {
          requireVersion(header(VERSION.toLowerCase()) ?? query[VERSION]);
          const call = { who, params: asObject(inCamelCase(body['params'])) ?? {}, signal };
          const answered = await answerA2a(parts, asText(body['method']) ?? '', call);
          if ('result' in answered) return { answer: reply({ result: answered.result }) } satisfies Answered;
          return streamOf(answered.events, (result) => reply({ result }));
        } catch (thrown) {
          return { answer: reply({ error: errorOf(thrown) }) } satisfies Answered;
        }
      },
    }),
  ];
}

const VERSION = 'A2A-Version';

/**
 * The protocol takes who names no version for one of 0.3. Its methods have other names, so whoever calls one
 * of 1.0 by hand is understood without the header. A patch level is nobody's business.
 */
function requireVersion(given: string | undefined): void {
  const asked = given?.trim() || '1.0';
  if (/^1\.0(\.\d+)?$/.test(asked)) return;
  throw new A2aError(
    'version',
    `A2A ${JSON.stringify(excerpt(asked, 20))} is not spoken here: send the header A2A-Version: 1.0.`,
  );
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
