import { type Context, signalOf } from '../kernel/context.ts';
import { isObject } from '../kernel/loose-json.ts';
import { claimsModernEra, metaOf, META } from './protocol/envelope.ts';
import {
  HEADER_MCP_METHOD,
  HEADER_MCP_NAME,
  HEADER_MCP_VERSION,
  encodeHeaderValue,
  legacyTargetOf,
  targetOf,
} from './protocol/headers.ts';

export { HEADER_MCP_METHOD, HEADER_MCP_NAME } from './protocol/headers.ts';

/** One JSON-RPC message, as text, as bytes or as the object it is. */
export type RequestContent = string | Uint8Array | Readonly<Record<string, unknown>>;

/**
 * A POST to a Streamable HTTP server with the headers that mirror its body: Mcp-Method whenever there is a method, Mcp-Name
 * only for methods with a sub-target, left out rather than empty. Requests of 2026-07-28 also get what that revision requires.
 */
export function buildMcpRequest(
  url: string | URL,
  body: RequestContent,
  { signal }: Readonly<{ signal?: AbortSignal }> = {},
): Request {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  });
  const text = textOf(body);
  const message: unknown = JSON.parse(text);
  if (!isObject(message)) throw new TypeError('the body must be one JSON-RPC message');
  const { method, params } = message;
  if (typeof method === 'string' && method !== '') {
    const given = isObject(params) ? params : {};
    const isModern = claimsModernEra(given);
    headers.set(HEADER_MCP_METHOD, encodeHeaderValue(method));
    const target = isModern ? targetOf(method, given) : legacyTargetOf(method, given);
    if (target !== undefined) headers.set(HEADER_MCP_NAME, encodeHeaderValue(target));
    if (isModern) headers.set(HEADER_MCP_VERSION, String(metaOf(given)?.[META.version]));
  }
  return new Request(url, { method: 'POST', headers, body: text, ...(signal && { signal }) });
}

/** The same with the arguments in their documented order: the context first. */
export function buildRequestIn(context: Context, url: string | URL, body: RequestContent): Request {
  const signal = signalOf(context);
  return buildMcpRequest(url, body, signal && { signal });
}

function textOf(body: string | Uint8Array | object): string {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? Buffer.from(body).toString('utf8') : JSON.stringify(body);
}
