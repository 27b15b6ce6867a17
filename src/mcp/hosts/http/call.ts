import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Principal } from '../../../kernel/principal.ts';
import {
  HEADER_MCP_METHOD,
  HEADER_MCP_NAME,
  encodeHeaderValue,
  legacyTargetOf,
  targetOf,
} from '../../protocol/headers.ts';
import type { StandardHeaders } from '../../protocol/headers.ts';
import { invalidParams, RPC, RpcError, type RpcMessage } from '../../protocol/jsonrpc.ts';
import type { Era } from '../../protocol/versions.ts';
import type { Server } from '../../registry.ts';
import { hasProfile, type Profile, profilesOf } from '../../server.ts';

/** One HTTP request to an MCP path, after the guards: the caller is known and the body has been read. */
export type HttpCall = Readonly<{
  req: IncomingMessage;
  res: ServerResponse;
  /** Of a POST: the parsed JSON, or that it was none. */
  body?: Readonly<{ value: unknown } | { problem: string }>;
  params: URLSearchParams;
  /** From the credential. The host adds the seat, and the URL's binding below the credential's. */
  who: Principal;
}>;

export type MountOptions = Readonly<{
  server: Server;
  /**
   * 'documented': the texts and statuses clawboo clients know. 'spec': what the protocol says for a missing or unknown
   * session. 'none': every request stands for itself, in both eras.
   */
  sessions: 'documented' | 'spec' | 'none';
}>;

export function standardHeaders({ req }: HttpCall): StandardHeaders {
  return {
    version: headerOf(req, 'mcp-protocol-version'),
    method: headerOf(req, 'mcp-method'),
    name: headerOf(req, 'mcp-name'),
  };
}

export function headerOf(req: IncomingMessage, name: string): string | undefined {
  const value = req.headers[name];
  return typeof value === 'string' ? value.trim() : undefined;
}

/** The body decides what was called; saying it back lets a client see what we made of its request. */
export function echoHeaders(message: RpcMessage | undefined, era: Era): Record<string, string> {
  if (!message || message.kind === 'response') return {};
  const { method, params } = message;
  const target = era === 'modern' ? targetOf(method, params) : legacyTargetOf(method, params);
  return {
    [HEADER_MCP_METHOD]: echoable(method),
    ...(target !== undefined && { [HEADER_MCP_NAME]: echoable(target) }),
  };
}

/** A header is no place for an essay. */
const MAX_ECHO = 512;

function echoable(value: string): string {
  return encodeHeaderValue(value.slice(0, MAX_ECHO));
}

/** A credential beats an argument. A server that does not have its view would be a way round the wall, so it stays closed. */
export function profileOf(params: URLSearchParams, server: Server, who: Principal): Profile {
  if (who.profile !== undefined && hasProfile(server, who.profile)) return who.profile;
  if (who.profile !== undefined && !BUILT_IN.has(who.profile)) throw behindWall(who.profile, server);
  const profile = params.get('profile') ?? 'default';
  if (hasProfile(server, profile)) return profile;
  throw invalidParams(`profile must be one of ${profilesOf(server).join(', ')}`, { status: 400 });
}

/** These only shorten lists: no wall is passed where they are unknown. */
const BUILT_IN: ReadonlySet<string> = new Set(['default', 'extended', 'full', 'lean']);

function behindWall(profile: string, { name }: Server): RpcError {
  return new RpcError(
    RPC.invalidRequest,
    `This token reaches MCP through the view ${profile} of the hub alone, not ${name}`,
    {
      status: 403,
    },
  );
}
