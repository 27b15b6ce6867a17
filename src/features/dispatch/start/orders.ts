import { isPerson } from '../../../kernel/principal.ts';
import type { Tool } from '../../../mcp/define.ts';
import type { Call } from '../../../store/calls.ts';
import type { Dispatch } from '../dispatch.ts';
import { callGoverned } from '../governed.ts';
import { type PresentedRun, presentRun } from '../run.ts';
import type { WorkRequest } from '../work/request.ts';
import { type BegunWork, type BoardWork, presentBegun } from '../work/work.ts';
import type { SendMore, SendRequest } from './sender.ts';

/**
 * Work that is begun over REST and A2A: a person's word is enough, an agent's passes the broker as over MCP.
 */
export interface Orders {
  send(call: Call, request: SendRequest, way: OrderWay): Promise<PresentedRun>;
  runTask(call: Call, request: WorkRequest, way: OrderWay): Promise<BegunWork>;
}

type OrderWay = Readonly<{
  /** Aborts when nobody waits for the answer any more. */
  signal: AbortSignal;
  /** What only a person's run may have. */
  more?: SendMore;
}>;

/** The tools are those of agents, behind the broker. */
type OrderParts = Readonly<{ dispatch: Dispatch; work: BoardWork; sendTool: Tool; runTool: Tool }>;

export function createOrders({ dispatch, work, sendTool, runTool }: OrderParts): Orders {
  return {
    async send(call, request, { signal, more }) {
      const { who } = call;
      if (isPerson(who)) return presentRun(await dispatch.send(call, request, more));
      const { instance, prompt, tag, opts } = request;
      const args = { prompt, async: true, instance, tag, opts };
      return (await callGoverned<{ task: PresentedRun }>(sendTool, args, { who, signal })).task;
    },

    async runTask(call, request, { signal }) {
      const { who } = call;
      if (isPerson(who)) return presentBegun(await work.start(call, request));
      const { taskId, instance, project } = request;
      return callGoverned(runTool, { taskId, instance, project }, { who, signal });
    },
  };
}
