import { z } from 'zod';
import { type ErrorCode, HubError } from '../../kernel/errors.ts';
import { defineRoute, type Method, type Route } from '../../http/route.ts';
import { byRoute, type Caller } from '../../store/acting.ts';
import type { Tx } from '../../store/database.ts';
import { attributedBy, type BoardDoor } from './change-tool.ts';
import { identity, once } from '../../operation/identity.ts';
import { taskId } from './inputs.ts';
import { type RefusedUndo, remembering } from './undo.ts';

type Body<S extends z.ZodRawShape> = z.output<z.ZodObject<S>>;

/** A route that changes the board: the same optional identity and idempotency key as its tools, in the body. */
export type ChangeRoute<P extends z.ZodRawShape, S extends z.ZodRawShape, R extends z.ZodType> = Readonly<{
  method: Exclude<Method, 'GET'>;
  path: string;
  summary: string;
  status?: 200 | 201;
  refusals: readonly ErrorCode[];
  params: P;
  body: S;
  response: R;
  /** It makes a new claim: what its seat claimed before does not matter. */
  isAcquiring?: true;
  /** It takes a change back, and is none that could be taken back itself. */
  isUndo?: true;
  /** The body field that names the agent, when it is not `agentId`. */
  agentOf?(body: Body<S>): string | undefined;
  run(tx: Tx, caller: Caller, params: Body<P>, body: Body<S>): Promise<z.input<R> | RefusedUndo>;
}>;

const common = z.object({ ...identity, ...once });
const about = z.object({ taskId: taskId.optional() });

export const PLACE = { tag: 'board', scope: 'board:read' } as const;

export function changeRoute<P extends z.ZodRawShape, S extends z.ZodRawShape, R extends z.ZodType>(
  { acting, board }: BoardDoor,
  route: ChangeRoute<P, S, R>,
): Route {
  const { method, path, summary, status, refusals, response, isAcquiring } = route;
  return defineRoute({
    method,
    path,
    summary,
    refusals,
    response,
    ...(status && { status }),
    tag: PLACE.tag,
    scope: 'board:write',
    params: z.object(route.params),
    body: bodyOf(route.body),
    async handler(input, { who }) {
      const body = (input.body ?? {}) as Body<S> & z.output<typeof common>;
      const params = input.params as Body<P> & z.output<typeof about>;
      const call = {
        ...byRoute(who, `${method} ${path}`, { ...body, params }),
        agentId: route.agentOf?.(body) ?? body.agentId,
        fence: body.fence,
        ...(!isAcquiring && attributedBy(board, params.taskId)),
      };
      const what = `${method} ${path}`;
      const outcome = await acting.change(call, (tx, caller) => {
        const run = () => route.run(tx, caller, params, body);
        return route.isUndo ? run() : remembering(tx, caller, { taskId: params.taskId, what, run });
      });
      if (!isRefused(outcome)) return outcome;
      const { code, message, details } = outcome.refused;
      throw new HubError(code, message, { ...details });
    },
  });
}

function isRefused(outcome: unknown): outcome is RefusedUndo {
  return typeof outcome === 'object' && outcome !== null && 'refused' in outcome;
}

/** A body that needs nothing may be left out altogether. */
function bodyOf(shape: z.ZodRawShape): z.ZodType {
  const body = z.object({ ...shape, ...identity, ...once }).strict();
  return body.safeParse({}).success ? body.optional() : body;
}
