import { type Params, RPC, RpcError } from './jsonrpc.ts';

export const HEADER_MCP_METHOD = 'Mcp-Method';
export const HEADER_MCP_NAME = 'Mcp-Name';
export const HEADER_MCP_VERSION = 'MCP-Protocol-Version';
export const HEADER_MCP_SESSION = 'Mcp-Session-Id';

/** The parameter a method is about, mirrored in Mcp-Name so that proxies route without reading bodies. */
const TARGET_OF: ReadonlyMap<string, string> = new Map([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
  ['tasks/get', 'taskId'],
  ['tasks/update', 'taskId'],
  ['tasks/cancel', 'taskId'],
]);

export function targetOf(method: string, params: Params): string | undefined {
  const field = TARGET_OF.get(method);
  const value = field === undefined ? undefined : params[field];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** Before 2026-07-28 only tools and prompts were mirrored; for everything else the header is left out rather than empty. */
export function legacyTargetOf(method: string, params: Params): string | undefined {
  return method === 'tools/call' || method === 'prompts/get' ? targetOf(method, params) : undefined;
}

const PREFIX = '=?base64?';
const SUFFIX = '?=';
const CANONICAL_BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Visible ASCII without outer blanks goes as it is, everything else as marked base64. */
export function encodeHeaderValue(value: string): string {
  const isPlain = /^[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/.test(value) && !value.startsWith(PREFIX);
  return isPlain ? value : `${PREFIX}${Buffer.from(value, 'utf8').toString('base64')}${SUFFIX}`;
}

/** Undefined when the value is marked as base64 but is not canonical base64 of UTF-8. */
export function decodeHeaderValue(value: string): string | undefined {
  if (!value.startsWith(PREFIX) || !value.endsWith(SUFFIX)) return value;
  const coded = value.slice(PREFIX.length, -SUFFIX.length);
  if (!CANONICAL_BASE64.test(coded)) return undefined;
  const bytes = Buffer.from(coded, 'base64');
  const text = bytes.toString('utf8');
  return Buffer.from(text, 'utf8').equals(bytes) ? text : undefined;
}

export type StandardHeaders = Readonly<{
  version?: string | undefined;
  method?: string | undefined;
  name?: string | undefined;
}>;

/** 2026-07-28: the headers are there and say what the body says, or the request is refused. */
export function checkModernHeaders(
  headers: StandardHeaders,
  version: string,
  { method, params }: Readonly<{ method: string; params: Params }>,
): void {
  if (headers.version === undefined)
    throw mismatch(HEADER_MCP_VERSION, `is missing; the body names ${version}`);
  if (headers.version !== version)
    throw mismatch(HEADER_MCP_VERSION, `says ${headers.version}; the body names ${version}`);
  if (headers.method === undefined) throw mismatch(HEADER_MCP_METHOD, `is missing; the body calls ${method}`);
  if (headers.method !== method)
    throw mismatch(HEADER_MCP_METHOD, `says ${headers.method}; the body calls ${method}`);
  const target = targetOf(method, params);
  if (target === undefined) return;
  if (headers.name === undefined) throw mismatch(HEADER_MCP_NAME, `is missing; the body names ${target}`);
  const named = decodeHeaderValue(headers.name);
  if (named === undefined) throw mismatch(HEADER_MCP_NAME, 'is not valid base64 of UTF-8 text');
  if (named !== target) throw mismatch(HEADER_MCP_NAME, `says ${named}; the body names ${target}`);
}

export function mismatch(header: string, problem: string): RpcError {
  return new RpcError(RPC.headerMismatch, `Header mismatch: ${header} ${problem}`, {
    data: { header, problem },
    status: 400,
  });
}
