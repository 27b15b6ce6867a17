/**
 * JSON-RPC as both protocol eras use it. Answers are text from here on: lists are serialised once
 * and results once, so a host only ever writes a line.
 */
import { isObject } from '../../kernel/loose-json.ts';

export type Id = string | number;

export type Params = Readonly<Record<string, unknown>>;

export type RequestMessage = Readonly<{ kind: 'request'; id: Id; method: string; params: Params }>;
type NotificationMessage = Readonly<{ kind: 'notification'; method: string; params: Params }>;
export type ResponseMessage = Readonly<{ kind: 'response'; id: Id; result?: unknown; error?: unknown }>;
export type RpcMessage = RequestMessage | NotificationMessage | ResponseMessage;

export const RPC = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  /** What deployed clients know for a missing session, an unknown one, and other refusals of a transport. */
  transport: -32000,
  unknownSession: -32001,
  /** Before 2026-07-28, which made it one of the invalid params. */
  resourceNotFound: -32002,
  headerMismatch: -32020,
  missingCapability: -32021,
  unsupportedVersion: -32022,
} as const;

/** A refusal at the level of the protocol. What a model can repair is a tool result instead. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: Params | undefined;
  /** The HTTP status of a 2026-07-28 answer; earlier revisions answer errors with 200. */
  readonly status: number;

  constructor(code: number, message: string, options: RpcErrorDetails = {}) {
    super(message);
    this.code = code;
    this.data = options.data;
    this.status = options.status ?? 200;
  }
}

type RpcErrorDetails = Readonly<{ data?: Params; status?: number }>;

export function invalidParams(why: string, details?: RpcErrorDetails): RpcError {
  return new RpcError(RPC.invalidParams, `Invalid params: ${why}`, details);
}

/** A message, or undefined when the value is not one. Arrays (batches) are the host's business. */
export function readMessage(value: unknown): RpcMessage | undefined {
  if (!isObject(value) || value['jsonrpc'] !== '2.0') return undefined;
  const { id, method, params } = value;
  if (typeof method === 'string') {
    if (params !== undefined && !isObject(params)) return undefined;
    if (id === undefined) return { kind: 'notification', method, params: params ?? {} };
    return isId(id) ? { kind: 'request', id, method, params: params ?? {} } : undefined;
  }
  if (method !== undefined || !isId(id)) return undefined;
  if (value['error'] !== undefined) return { kind: 'response', id, error: value['error'] };
  return value['result'] === undefined ? undefined : { kind: 'response', id, result: value['result'] };
}

/** The id to echo in an error about a message that could not be read. */
export function idOf(value: unknown): Id | null {
  return isObject(value) && isId(value['id']) ? value['id'] : null;
}

export function resultText(id: Id, result: string): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
}

export function errorText(
  id: Id | null,
  { code, message, data }: Readonly<{ code: number; message: string; data?: Params | undefined }>,
): string {
  return JSON.stringify({ jsonrpc: '2.0', id, error: { code, message, ...(data && { data }) } });
}

/** The answer to what is no request, or not one that may come now. */
export function invalidText(id: Id | null, why: string): string {
  return errorText(id, { code: RPC.invalidRequest, message: `Invalid request: ${why}` });
}

export function notificationText(method: string, params?: Params): string {
  return JSON.stringify({ jsonrpc: '2.0', method, ...(params && { params }) });
}

export function requestText(id: Id, method: string, params: Params): string {
  return JSON.stringify({ jsonrpc: '2.0', id, method, params });
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || (typeof value === 'number' && Number.isInteger(value));
}
