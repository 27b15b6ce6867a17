import { clientSlug } from '../../../kernel/client-name.ts';
import { isLogLevel } from '../../define.ts';
import type { Engine } from '../../engine/engine.ts';
import { newSettings } from '../../engine/exchange.ts';
import { readAbilities } from '../../protocol/abilities.ts';
import { claimedVersion, clientName, META, metaOf, readEnvelope } from '../../protocol/envelope.ts';
import { HEADER_MCP_VERSION, checkModernHeaders, mismatch } from '../../protocol/headers.ts';
import type { StandardHeaders } from '../../protocol/headers.ts';
import { errorText, notificationText, type RequestMessage, RpcError } from '../../protocol/jsonrpc.ts';
import type { Server } from '../../registry.ts';
import { headerOf, type HttpCall, profileOf, standardHeaders } from './call.ts';
import type { Outlet } from './outlet.ts';

type ModernCall = Readonly<{ server: Server; call: HttpCall; outlet: Outlet; request: RequestMessage }>;

/** A stateless request: everything it needs is in it, its URL binds it, and a client that hangs up has cancelled it. */
export async function serveModern(
  engine: Engine,
  { server, call, outlet, request }: ModernCall,
): Promise<void> {
  try {
    const envelope = readChecked(standardHeaders(call), request);
    const who = {
      ...call.who,
      seat: '',
      bound: { ...server.binding?.(call.params), ...call.who.bound },
      client: clientSlug(clientName(metaOf(request.params)?.[META.clientInfo])),
    };
    const profile = profileOf(call.params, server, who);
    const level = isLogLevel(envelope.logLevel) ? envelope.logLevel : undefined;
    const reply = await engine.handle(request, {
      server,
      era: 'modern',
      version: envelope.version,
      who,
      profile,
      can: readAbilities(envelope.capabilities),
      settings: newSettings(level),
      peer: { notify: (method, params) => outlet.send(notificationText(method, params)) },
      signal: outlet.gone,
      header: (name) => headerOf(call.req, name),
    });
    outlet.answer(reply.status, reply.text);
  } catch (thrown) {
    if (!(thrown instanceof RpcError)) throw thrown;
    outlet.answer(thrown.status, errorText(request.id, thrown));
  }
}

/** Two versions that differ are a mismatch even if we serve neither; only then is the envelope itself judged. */
function readChecked(headers: StandardHeaders, request: RequestMessage): ReturnType<typeof readEnvelope> {
  const claimed = claimedVersion(request.params);
  if (headers.version !== undefined && claimed !== undefined && headers.version !== claimed) {
    throw mismatch(HEADER_MCP_VERSION, `says ${headers.version}; the body names ${claimed}`);
  }
  const envelope = readEnvelope(request.params);
  checkModernHeaders(headers, envelope.version, request);
  return envelope;
}
