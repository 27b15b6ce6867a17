import { toHubError } from '../../../kernel/errors.ts';
import { isObject } from '../../../kernel/loose-json.ts';
import type { Engine } from '../../engine/engine.ts';
import { claimsModernEra } from '../../protocol/envelope.ts';
import {
  HEADER_MCP_METHOD,
  HEADER_MCP_NAME,
  HEADER_MCP_SESSION,
  decodeHeaderValue,
  targetOf,
} from '../../protocol/headers.ts';
import { RPC, RpcError, errorText, idOf, invalidText, readMessage } from '../../protocol/jsonrpc.ts';
import type { RpcMessage, RequestMessage } from '../../protocol/jsonrpc.ts';
import { type Era, MODERN_VERSION, namesModernEra } from '../../protocol/versions.ts';
import type { Sessions } from '../../sessions/sessions.ts';
import { readAccept } from './accept.ts';
import { noteAsked } from './asked.ts';
import { echoHeaders, headerOf, type HttpCall, type MountOptions, standardHeaders } from './call.ts';
import { createLegacyHost } from './legacy.ts';
import { serveModern } from './modern.ts';
import { createOutlet, type Outlet } from './outlet.ts';
import { methodNotAllowed, noBatch } from './refusals.ts';

/** Streamable HTTP in both eras on one path. Never rejects: whatever happens, the response ends. */
export interface HttpHost {
  mount(options: MountOptions): (call: HttpCall) => Promise<void>;
  /** Ends the streams of sessions; who may go on opens a new one. */
  endStreams(): void;
  /** Ends every stream: listeners get their result, sessions reconnect elsewhere. */
  close(): void;
}

export type HttpHostParts = Readonly<{ engine: Engine; sessions: Sessions }>;

export function createHttpHost({ engine, sessions }: HttpHostParts): HttpHost {
  const legacy = createLegacyHost(engine, sessions);

  async function post(mount: MountOptions, call: HttpCall): Promise<void> {
    const { body } = call;
    if (!body || 'problem' in body)
      throw new RpcError(RPC.parse, `Parse error: ${body?.problem ?? 'the request has no body'}`, {
        status: 400,
      });
    if (Array.isArray(body.value)) return postBatch(mount, call, body.value);
    const message = readMessage(body.value);
    if (!message)
      return outletOf(call).answer(400, invalidText(idOf(body.value), 'not a JSON-RPC 2.0 message'));
    noteAsked(call.req, message);
    const era = eraOf(call, message);
    const echo = echoHeaders(message, era);
    if (era === 'modern') {
      if (message.kind === 'request') {
        const outlet = modernOutlet(call, message, echo);
        return serveModern(engine, { server: mount.server, call, outlet, request: message });
      }
      return outletOf(call, echo).nothing(202);
    }
    warnOfMismatch(call, message);
    if (message.kind === 'request' && message.method === 'initialize') {
      const session = openSession(mount, call, message);
      const own: Record<string, string> = session?.id ? { [HEADER_MCP_SESSION]: session.id } : {};
      return (
        session && legacy.take({ mount, call, session, outlet: outletOf(call, { ...echo, ...own }) }, message)
      );
    }
    const session = await legacy.find(mount, call);
    return legacy.take({ mount, call, session, outlet: outletOf(call, echo) }, message);
  }

  /** What is wrong with an initialize is said under its own id, not as a refusal of the transport. */
  function openSession(
    mount: MountOptions,
    call: HttpCall,
    request: RequestMessage,
  ): ReturnType<typeof legacy.open> | undefined {
    try {
      return legacy.open(mount, call, request);
    } catch (thrown) {
      if (!(thrown instanceof RpcError)) throw thrown;
      outletOf(call, echoHeaders(request, 'legacy')).answer(400, errorText(request.id, thrown));
      return undefined;
    }
  }

  async function postBatch(mount: MountOptions, call: HttpCall, batch: readonly unknown[]): Promise<void> {
    const isModernBatch = batch.some(
      (value) => isObject(value) && isObject(value['params']) && claimsModernEra(value['params']),
    );
    if (isModernBatch || namesModernEra(headerOf(call.req, 'mcp-protocol-version') ?? ''))
      throw noBatch(MODERN_VERSION);
    const session = await legacy.find(mount, call);
    return legacy.takeBatch({ mount, call, session, outlet: outletOf(call) }, batch);
  }

  async function get(mount: MountOptions, call: HttpCall): Promise<void> {
    refuseModern(mount, call);
    const session = await legacy.find(mount, call);
    return legacy.listen({ mount, call, session, outlet: createOutlet(call.res, 'stream', {}) });
  }

  async function del(mount: MountOptions, call: HttpCall): Promise<void> {
    refuseModern(mount, call);
    const session = await legacy.find(mount, call);
    if (session.id !== '') await legacy.end(call, session);
    outletOf(call).nothing(200);
  }

  /** The body decides what is done; a proxy that routed by another name should hear of it. */
  function warnOfMismatch(call: HttpCall, message: RpcMessage): void {
    if (message.kind === 'response') return;
    const { method, name } = standardHeaders(call);
    if (method !== undefined && method !== message.method)
      engine.log.warn(`${HEADER_MCP_METHOD} differs from the body`, { header: method, body: message.method });
    const target = targetOf(message.method, message.params);
    if (name !== undefined && decodeHeaderValue(name) !== target)
      engine.log.warn(`${HEADER_MCP_NAME} differs from the body`, { header: name, body: target });
  }

  function serve(mount: MountOptions, call: HttpCall): Promise<void> {
    switch (call.req.method ?? '') {
      case 'POST':
        return post(mount, call);
      case 'GET':
        return get(mount, call);
      case 'DELETE':
        return del(mount, call);
      default:
        return Promise.reject(methodNotAllowed());
    }
  }

  return {
    mount: (options) => async (call) => {
      try {
        await serve(options, call);
      } catch (thrown) {
        refuse(call, thrown, engine);
      }
    },
    endStreams: () => legacy.close(),
    close() {
      engine.stop();
      legacy.close();
    },
  };
}

function outletOf(call: HttpCall, headers: Readonly<Record<string, string>> = {}): Outlet {
  return createOutlet(call.res, readAccept(headerOf(call.req, 'accept')), headers);
}

/** Who listens gets a stream whatever it said it reads: there is no other way to answer. */
function modernOutlet(
  call: HttpCall,
  { method }: RequestMessage,
  headers: Readonly<Record<string, string>>,
): Outlet {
  return method === 'subscriptions/listen'
    ? createOutlet(call.res, 'both', headers)
    : outletOf(call, headers);
}

/** A request is modern when its envelope says so, or its header does: then a missing envelope is an error and not another era. */
function eraOf({ req }: HttpCall, message: RpcMessage): Era {
  if (message.kind === 'response') return 'legacy';
  return claimsModernEra(message.params) || namesModernEra(headerOf(req, 'mcp-protocol-version') ?? '')
    ? 'modern'
    : 'legacy';
}

/** The modern era has no GET and no DELETE; documented paths answer as documented whatever the era. */
function refuseModern(mount: MountOptions, call: HttpCall): void {
  if (mount.sessions !== 'documented' && namesModernEra(headerOf(call.req, 'mcp-protocol-version') ?? ''))
    throw methodNotAllowed();
}

/** Refusals of the transport carry no id: documented clients expect exactly this shape. Our own failure is `{ error }`. */
function refuse(call: HttpCall, thrown: unknown, engine: Engine): void {
  const { res, body } = call;
  // Who hung up knows why there is no answer; that is nobody's failure.
  if (!(thrown instanceof RpcError) && !res.destroyed)
    engine.log.error('an MCP request failed', { error: thrown });
  if (res.headersSent) return void res.end();
  const isRefusal = thrown instanceof RpcError;
  const message = body && 'value' in body ? readMessage(body.value) : undefined;
  const text = isRefusal ? errorText(null, thrown) : JSON.stringify({ error: toHubError(thrown).message });
  res.writeHead(isRefusal ? thrown.status : toHubError(thrown).status, {
    ...(message && echoHeaders(message, eraOf(call, message))),
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
    ...(isRefusal && thrown.status === 405 && { allow: 'GET, POST, DELETE' }),
    ...(isRefusal && thrown.status === 503 && { 'retry-after': '5' }),
  });
  res.end(text);
}
