// Lists and calls tools. A call that reached its tool is answered, whatever happens to what goes along with it.
import { HubError } from '../../kernel/errors.ts';
import type { Log } from '../../kernel/log.ts';
import { isObject } from '../../kernel/loose-json.ts';
import { hasScope } from '../../kernel/principal.ts';
import { excerpt } from '../../kernel/redact.ts';
import type { Tool, ToolContext } from '../define.ts';
import { META_NO_POSTSCRIPT, withPostscripts } from '../postscript.ts';
import type { AskPostscript, AskPostscripts, Postscript } from '../postscript.ts';
import type { Overhear } from '../overhear.ts';
import type { Abilities, Ability } from '../protocol/abilities.ts';
import { metaOf } from '../protocol/envelope.ts';
import { invalidParams, RPC, RpcError } from '../protocol/jsonrpc.ts';
import type { Params } from '../protocol/jsonrpc.ts';
import { checkParamHeaders, paramHeadersOf } from '../protocol/param-headers.ts';
import type { ParamHeader } from '../protocol/param-headers.ts';
import { answerOf, invalidArguments, thrownAnswer, unechoed } from '../result.ts';
import type { Answer } from '../result.ts';
import { inputSchemaOf } from '../schema.ts';
import { parseArguments } from '../validate.ts';
import { cacheMembers } from './answer.ts';
import type { Exchange } from './exchange.ts';
import { PAGE_SIZE, cursorMember, pageOf } from './page.ts';
import { InputRequired } from './rounds.ts';
import { canHaveTasks, lackingTasks } from './tasks.ts';
import type { Tasks } from './tasks.ts';

export async function listTools(params: Params, exchange: Exchange): Promise<Answer> {
  const view = await exchange.server.toolList.view(exchange);
  const cache = cacheMembers(exchange);
  if (params['cursor'] === undefined && view.names.length <= PAGE_SIZE)
    return { members: `"tools":[${view.text}]${cache}` };
  const { items, next } = pageOf(view.names, (name) => name, params);
  const start = items.length === 0 ? 0 : view.names.indexOf(items[0]!);
  return {
    members: `"tools":[${view.entries.slice(start, start + items.length).join(',')}]${cursorMember(next)}${cache}`,
  };
}

export type CallParts = Readonly<{
  log: Log;
  tasks: Tasks;
  postscript?: AskPostscript | AskPostscripts | undefined;
  overhear?: Overhear | undefined;
}>;

/** How a tool of the exchange's server is called. */
export function createToolCall(
  parts: CallParts,
): (params: Params, exchange: Exchange, context: ToolContext) => Promise<Answer> {
  const { log, tasks, postscript, overhear } = parts;

  /** Work can be put off only where the client knows how to ask for it later. */
  function contextFor(tool: Tool, exchange: Exchange, context: ToolContext): ToolContext {
    if (!canHaveTasks(exchange))
      return context.can.has('tasks') ? { ...context, can: without(context.can, 'tasks') } : context;
    const later = tasks.starting(tool, exchange, context);
    return { ...context, later: (work) => later(work) as ReturnType<typeof work> };
  }

  /** The tool has done its work: nothing that goes wrong here may take its answer away. */
  async function postscriptsFor(
    tool: Tool,
    params: Params,
    { who, server }: Exchange,
  ): Promise<readonly Postscript[]> {
    if (!postscript || metaOf(params)?.[META_NO_POSTSCRIPT] === false) return [];
    try {
      return [(await postscript(who, tool, server.key)) ?? []].flat();
    } catch (error) {
      log.warn('an answer went out without its postscript', { tool: tool.name, error });
      return [];
    }
  }

  /** Protocol refusals and questions pass through; everything else is a result the model can read. */
  function failed(tool: Tool, context: ToolContext, thrown: unknown): Answer {
    if (thrown instanceof RpcError || thrown instanceof InputRequired) throw thrown;
    const { answer, error } = thrownAnswer(thrown, tool);
    if (error.code === 'internal' && !context.signal.aborted)
      log.error('a tool failed', { tool: tool.name, callId: context.callId, error: error.cause ?? error });
    return answer;
  }

  return async (params, exchange, context) => {
    const { name, arguments: args = {} } = params;
    if (typeof name !== 'string') throw invalidParams('name must be a string', { status: 400 });
    if (!isObject(args)) throw invalidParams('arguments must be an object', { status: 400 });
    const tool = await exchange.server.toolList.find(name, exchange.who, exchange.profile);
    if (!tool) {
      await exchange.server.onRefused?.({ name, args, reason: 'unknown' }, context);
      const absence = exchange.server.toolList.absence(name, exchange.who, exchange.profile);
      if (absence) return unechoed(args, thrownAnswer(absence).answer);
      throw new RpcError(RPC.invalidParams, `Unknown tool: ${excerpt(name, 128)}`);
    }
    if (exchange.header) checkParamHeaders(mirroredBy(tool), args, exchange.header);
    if (tool.needsTask && exchange.era === 'modern' && !exchange.can.has('tasks')) throw lackingTasks();
    try {
      if (!hasScope(exchange.who, tool.scope)) {
        await exchange.server.onRefused?.({ name, args, reason: 'forbidden' }, context);
        throw new HubError('forbidden', `${tool.name} needs the scope ${tool.scope}`, { scope: tool.scope });
      }
      const parsed = parseArguments(tool, args);
      if (!parsed.ok) return unechoed(args, invalidArguments(tool, parsed.problems));
      if (context.signal.aborted) throw new HubError('unavailable', 'the call was cancelled before it began');
      const result = await tool.handler(parsed.value as never, contextFor(tool, exchange, context));
      if (result.ok) overhear?.(exchange.who, tool, args);
      const isTask = result.ok && result.task !== undefined && canHaveTasks(exchange);
      const created = isTask ? await tasks.created(result.task, exchange) : undefined;
      if (created) return { ...created, ...(result.meta && { meta: result.meta }) };
      const added = result.ok ? await postscriptsFor(tool, params, exchange) : [];
      return unechoed(args, answerOf(tool, result.ok ? withPostscripts(tool, result, added) : result));
    } catch (thrown) {
      return unechoed(args, failed(tool, context, thrown));
    }
  };
}

function without(abilities: Abilities, ability: Ability): Abilities {
  return new Set([...abilities].filter((each) => each !== ability));
}

const mirrored = new WeakMap<Tool, readonly ParamHeader[]>();

/** Read from the schema of a tool once: almost no tool has any. */
function mirroredBy(tool: Tool): readonly ParamHeader[] {
  let headers = mirrored.get(tool);
  if (!headers) mirrored.set(tool, (headers = paramHeadersOf(inputSchemaOf(tool))));
  return headers;
}
