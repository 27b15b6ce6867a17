import { legacyTargetOf } from '../../protocol/headers.ts';
import type { RpcMessage } from '../../protocol/jsonrpc.ts';

/**
 * What a request turned out to ask for, for programs that route, count or log requests without reading
 * bodies: the context of a request is the request itself. The body decides; a header that says otherwise is
 * only warned of.
 */
const ASKED = Symbol('what a request asks for');
type Request = { [ASKED]?: RpcMessage };

export function noteAsked(req: object, message: RpcMessage): void {
  (req as Request)[ASKED] = message;
}

/** Empty for a request that no MCP server here has read, or whose body was no message. */
export function mcpMethodFromContext(context: object | null | undefined): string {
  const message = askedBy(context);
  return message === undefined || message.kind === 'response' ? '' : message.method;
}

/** The tool or prompt of a tools/call or prompts/get; empty for everything else. */
export function mcpNameFromContext(context: object | null | undefined): string {
  const message = askedBy(context);
  return message === undefined || message.kind === 'response'
    ? ''
    : (legacyTargetOf(message.method, message.params) ?? '');
}

function askedBy(context: object | null | undefined): RpcMessage | undefined {
  const request: Request = context ?? {};
  return request[ASKED];
}
