import { LEGACY_VERSIONS, MAX_BATCH } from '../../protocol/versions.ts';
import { RPC, RpcError } from '../../protocol/jsonrpc.ts';
import type { Crowded } from '../../engine/listeners.ts';
import type { MountOptions } from './call.ts';
import { excerpt } from '../../../kernel/redact.ts';

/** What a transport says no with. The documented texts are part of the contract and stay as they are. */
export function noSession(
  mode: MountOptions['sessions'],
  httpMethod: string,
  given: string | undefined,
): RpcError {
  if (mode === 'documented') {
    const text =
      httpMethod === 'POST'
        ? 'No valid session; send an initialize request first.'
        : 'Invalid or missing MCP session id.';
    return new RpcError(RPC.transport, text, { status: 400 });
  }
  if (given === undefined)
    return new RpcError(
      RPC.transport,
      'Bad Request: Mcp-Session-Id header is required; send an initialize request first',
      { status: 400 },
    );
  return new RpcError(RPC.unknownSession, 'Session not found; send an initialize request', { status: 404 });
}

export function unsupportedHeader(version: string): RpcError {
  return new RpcError(
    RPC.transport,
    `Bad Request: unsupported MCP-Protocol-Version ${excerpt(version, 40)}; supported: ${LEGACY_VERSIONS.join(', ')}`,
    { status: 400 },
  );
}

export function methodNotAllowed(): RpcError {
  return new RpcError(RPC.transport, 'Method not allowed.', { status: 405 });
}

export function notAcceptable(): RpcError {
  return new RpcError(RPC.transport, 'Not Acceptable: the client must accept text/event-stream', {
    status: 406,
  });
}

export function tooManyStreams({ limit, whose }: Crowded): RpcError {
  return new RpcError(
    RPC.transport,
    `Too many open streams (${limit} ${whose}); close one or try again later`,
    { status: 503 },
  );
}

export function noBatch(version: string): RpcError {
  return new RpcError(
    RPC.invalidRequest,
    `Invalid request: protocol ${version} takes one message per request`,
    { status: 400 },
  );
}

export function batchTooLong(length: number): RpcError {
  return new RpcError(
    RPC.invalidRequest,
    `Invalid request: a batch has at most ${MAX_BATCH} messages; this one has ${length}`,
    {
      status: 400,
    },
  );
}
