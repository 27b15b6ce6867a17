// Runs over HTTP: sending, looking, following, cancelling.
import { z } from 'zod';
import { defineRoute, integerText, listText, type Route } from '../../http/route.ts';
import { HubError } from '../../kernel/errors.ts';
import { excerpt } from '../../kernel/redact.ts';
import { byRoute } from '../../store/acting.ts';
import { agentSchema, presentAgent } from './agents/view.ts';
import type { DispatchHouse } from './house.ts';
import * as input from './inputs.ts';
import { presentRun, runSchema, STATES, type RunStatus } from './run.ts';
import { cancelRun, sendRoute } from './send-route.ts';
import { workRoutes } from './work/routes.ts';
import { subscribeRoute } from './subscribe-route.ts';

const shared = { tag: 'runs', refusals: ['not_found'] } as const;
const one = z.object({ taskId: input.taskId });

/** `/v1/agents`, `/v1/send_message` and `/v1/biam`: agents and their runs over REST. */
export function dispatchRoutes(house: DispatchHouse): Route[] {
  return [
    agentsRoute(house),
    sendRoute(house),
    subscribeRoute(house),
    ...runRoutes(house),
    ...workRoutes(house),
  ];
}

function agentsRoute({ dispatch }: DispatchHouse): Route {
  return defineRoute({
    ...shared,
    method: 'GET',
    path: '/v1/agents',
    summary: 'The agents that can be called, and why others cannot.',
    scope: 'runs:read',
    query: z.object({ status: z.enum(['callable', 'binary-missing', 'disabled']).optional() }),
    response: z.object({ agents: z.array(agentSchema), count: z.int() }),
    handler: async ({ query }) => {
      const agents = dispatch
        .agents()
        .filter(({ status }) => query.status === undefined || status === query.status)
        .map(presentAgent);
      return { agents, count: agents.length };
    },
  });
}

const envelope = z.looseObject({ task_id: z.string(), message_id: z.string(), kind: z.string() });

function runRoutes(house: DispatchHouse): Route[] {
  const { acting, dispatch } = house;
  return [
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/biam/tasks',
      summary: 'Runs, newest first.',
      scope: 'runs:read',
      query: z.object({
        status: listText(STATES.length)
          .optional()
          .describe(`One or more of ${STATES.join(', ')}, separated by commas.`),
        limit: integerText(z.int().min(1).max(1000)).optional().describe('50 unless given.'),
        before: input.taskId.optional().describe('Only older ones than this run.'),
        board_task: input.taskId.optional(),
      }),
      response: z.object({ tasks: z.array(runSchema), count: z.int() }),
      handler: async ({ query }, { who }) => {
        const states = query.status?.map(knownState);
        const { limit = 50, before, board_task: boardTask } = query;
        const filter = { states, limit, before, boardTask };
        const runs = await acting.look(byRoute(who, 'runs'), (q) => dispatch.list(q, who, filter));
        return { tasks: runs.map(presentRun), count: runs.length };
      },
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/biam/tasks/:taskId',
      summary: 'One run with its messages; each message says whether its signature holds.',
      scope: 'runs:read',
      params: one,
      response: z.object({
        task: runSchema,
        result: z.string().nullable(),
        prompt: z.string(),
        messages: z.array(
          z.object({ envelope: envelope.optional(), verified: z.boolean(), expired: z.boolean() }),
        ),
      }),
      handler: async ({ params }, { who }) =>
        acting.look(byRoute(who, 'runs'), async (q) => {
          const run = await dispatch.get(q, who, params.taskId);
          const messages = await dispatch.messages(q, who, run.id);
          return {
            task: presentRun(run),
            result: run.result,
            prompt: run.prompt,
            messages: messages.map((each) => ({ ...each })),
          };
        }),
    }),
    defineRoute({
      ...shared,
      method: 'GET',
      path: '/v1/biam/tasks/:taskId/wait',
      summary: 'Waits until a run is over. timed_out tells that it was not.',
      scope: 'runs:read',
      params: one,
      query: z.object({
        timeout_s: integerText(z.int().min(0).max(3600)).optional().describe('300 unless given.'),
      }),
      response: z.object({ task: runSchema, result: z.string().nullable(), timed_out: z.boolean() }),
      handler: async ({ params, query }, { who, signal }) => {
        await acting.look(byRoute(who, 'runs'), (q) => dispatch.get(q, who, params.taskId));
        const waited = await dispatch.wait([params.taskId], 'any', {
          timeoutMs: (query.timeout_s ?? 300) * 1000,
          signal,
        });
        const run =
          waited?.[0] ??
          (await acting.look(byRoute(who, 'runs'), (q) => dispatch.get(q, who, params.taskId)));
        return { task: presentRun(run), result: run.result, timed_out: waited === undefined };
      },
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/biam/tasks/:taskId/cancel',
      summary: 'Ends a run and every process it started. A run that is over stays as it is.',
      scope: 'runs:write',
      params: one,
      response: runSchema,
      handler: async ({ params }, { who }) => presentRun(await cancelRun(house, who, params.taskId)),
    }),
    defineRoute({
      ...shared,
      method: 'POST',
      path: '/v1/biam/tasks/:taskId/reply',
      summary: 'Adds a signed message to a run: progress or a question of its agent, an answer for it.',
      scope: 'runs:write',
      refusals: ['not_found', 'conflict', 'limited'],
      params: one,
      body: input.reply,
      response: runSchema,
      handler: async ({ params, body }, { who }) => {
        const request = { id: params.taskId, kind: body.kind ?? ('progress' as const), body: body.body };
        return presentRun(
          await acting.change(byRoute(who, 'reply_run'), (tx, caller) => dispatch.reply(tx, caller, request)),
        );
      },
    }),
  ];
}

function knownState(text: string): RunStatus {
  const found = STATES.find((state) => state === text);
  if (found) return found;
  throw new HubError(
    'invalid',
    `status must be of ${STATES.join(', ')}; got ${JSON.stringify(excerpt(text, 40))}.`,
  );
}
