import { hasScope } from '../../kernel/principal.ts';
import type { HttpCall } from '../../mcp/hosts/http/call.ts';
import type { ServerDefinition } from '../../mcp/server.ts';
import type { Beings } from './being.ts';
import { WRITE_TOOLS } from './rules.ts';
import { beingServer } from './tools.ts';

type Serve = (call: HttpCall) => Promise<void>;

/**
 * In front of a Being's server: a read-only token that calls a tool which writes is told so by HTTP, as documented, before
 * anything is done, and a whole batch is refused for one such call. The tools ask for the scope themselves as well. A
 * request that brings the key of a language model gets a server of its own, which has it.
 */
export function serveBeing(beings: Beings, mount: (server: ServerDefinition) => Serve): Serve {
  const withoutKey = mount(beingServer(beings));
  return async (call) => {
    const tool = hasScope(call.who, 'being:write') ? undefined : writingCall(call.body);
    if (tool !== undefined) return refuse(call, tool);
    const key = keyOf(call);
    await (key === undefined ? withoutKey : mount(beingServer(beings, key)))(call);
  };
}

function writingCall(body: HttpCall['body']): string | undefined {
  if (!body || 'problem' in body) return undefined;
  const messages: readonly unknown[] = Array.isArray(body.value) ? body.value : [body.value];
  for (const message of messages) {
    const { method, params } = (message ?? {}) as { method?: unknown; params?: unknown };
    const { name } = (params ?? {}) as { name?: unknown };
    if (method === 'tools/call' && typeof name === 'string' && WRITE_TOOLS.has(name)) return name;
  }
  return undefined;
}

function refuse({ res }: HttpCall, tool: string): void {
  const body = JSON.stringify({
    error: `This token is read-only; ${tool} needs the scope full.`,
    code: 'forbidden',
    hint: 'Ask the owner of the Being for a token with full scope.',
  });
  res.writeHead(403, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': Buffer.byteLength(body),
    'www-authenticate': 'Bearer realm="holdfast", error="insufficient_scope", scope="full"',
  });
  res.end(body);
}

/** One printable word; anything else is no key. */
function keyOf({ req }: HttpCall): string | undefined {
  const value = req.headers['x-llm-api-key'];
  return typeof value === 'string' && /^[\x21-\x7e]{8,512}$/.test(value.trim()) ? value.trim() : undefined;
}
