import { HubError } from '../../kernel/errors.ts';
import { newId } from '../../kernel/ids.ts';
import type { Principal } from '../../kernel/principal.ts';
import type { ToolContext } from '../../mcp/define.ts';
import { NO_ABILITIES } from '../../mcp/protocol/abilities.ts';

/** A call of a governed tool that no MCP client makes: by a route, or by a run itself. Nobody can be asked but the inbox. */
export function callContext(who: Principal, signal: AbortSignal): ToolContext {
  const context: ToolContext = {
    who,
    signal,
    callId: newId(),
    deadline: Number.MAX_SAFE_INTEGER,
    progress: () => undefined,
    can: NO_ABILITIES,
    ask: () => Promise.reject(new HubError('unavailable', 'Nobody can be asked here.')),
    later: (work) => work(context),
    say: () => undefined,
  };
  return context;
}
