import { type ErrorCode, HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { Tool, ToolContext, ToolResult } from '../../mcp/define.ts';
import { NO_ABILITIES } from '../../mcp/protocol/abilities.ts';

type Asking = Readonly<{
  who: Principal;
  signal: AbortSignal;
  /** Another one unless given. */
  callId?: string;
}>;

/**
 * A call of a governed tool that no MCP client makes: by a route, or by a run itself. Nobody can be asked but
 * the inbox.
 */
export function askBroker(tool: Tool, args: object, asking: Asking): Promise<ToolResult<unknown>> {
  const context: ToolContext = {
    callId: newId(),
    ...asking,
    deadline: Number.MAX_SAFE_INTEGER,
    progress: () => undefined,
    can: NO_ABILITIES,
    ask: () => Promise.reject(new HubError('unavailable', 'Nobody can be asked here.')),
    later: (work) => work(context),
    say: () => undefined,
  };
  const given = Object.fromEntries(Object.entries(args).filter(([, value]) => value !== undefined));
  return tool.handler(given as never, context);
}

/** The same as a plain call: what it answers, or its refusal as an error. */
export async function callGoverned<T>(tool: Tool, args: object, asking: Asking): Promise<T> {
  const answered = await askBroker(tool, args, asking);
  if (answered.ok) return answered.value as T;
  const { code, line, value, hint } = answered;
  throw new HubError(code as ErrorCode, line, { ...value, ...(hint !== undefined && { hint }) });
}
