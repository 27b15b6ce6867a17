import { isObject } from '../../kernel/loose-json.ts';
import { invalidParams, type Params, RPC, RpcError } from './jsonrpc.ts';
import { MODERN_VERSIONS, isServedModernVersion } from './versions.ts';

/** Keys the 2026-07-28 revision reserves in `_meta`. */
export const META = {
  version: 'io.modelcontextprotocol/protocolVersion',
  capabilities: 'io.modelcontextprotocol/clientCapabilities',
  clientInfo: 'io.modelcontextprotocol/clientInfo',
  logLevel: 'io.modelcontextprotocol/logLevel',
  serverInfo: 'io.modelcontextprotocol/serverInfo',
  subscription: 'io.modelcontextprotocol/subscriptionId',
} as const;

export type RequestEnvelope = Readonly<{
  version: string;
  capabilities: Params;
  logLevel: string | undefined;
}>;

export function metaOf(params: Params): Params | undefined {
  const meta = params['_meta'];
  return isObject(meta) ? meta : undefined;
}

/** A message belongs to the modern era exactly when it names its version; other reserved keys claim nothing. */
export function claimsModernEra(params: Params): boolean {
  const meta = metaOf(params);
  return meta !== undefined && Object.hasOwn(meta, META.version);
}

export function claimedVersion(params: Params): string | undefined {
  const version = metaOf(params)?.[META.version];
  return typeof version === 'string' ? version : undefined;
}

/** Reads the envelope of a modern request or refuses it, naming the key at fault. */
export function readEnvelope(params: Params): RequestEnvelope {
  const meta = metaOf(params);
  if (meta === undefined) throw badEnvelope('_meta', 'is missing');
  const version = meta[META.version];
  if (version === undefined) throw badEnvelope(META.version, 'is missing');
  if (typeof version !== 'string') throw badEnvelope(META.version, 'must be a string');
  if (!isServedModernVersion(version)) throw unsupportedVersion(version);
  const capabilities = meta[META.capabilities];
  if (capabilities === undefined) throw badEnvelope(META.capabilities, 'is missing');
  if (!isObject(capabilities)) throw badEnvelope(META.capabilities, 'must be an object');
  const info = meta[META.clientInfo];
  if (info !== undefined && !isObject(info)) throw badEnvelope(META.clientInfo, 'must be an object');
  const logLevel = meta[META.logLevel];
  if (logLevel !== undefined && typeof logLevel !== 'string')
    throw badEnvelope(META.logLevel, 'must be a string');
  return { version, capabilities, logLevel };
}

function unsupportedVersion(requested: string): RpcError {
  return new RpcError(RPC.unsupportedVersion, `Unsupported protocol version: ${requested}`, {
    data: { supported: [...MODERN_VERSIONS], requested },
    status: 400,
  });
}

/** A short label for logs and presence, never trusted for anything. */
export function clientName(info: unknown): string {
  if (!isObject(info)) return '';
  const { name, version } = info;
  if (typeof name !== 'string') return typeof version === 'string' ? version.slice(0, 80) : '';
  return (typeof version === 'string' ? `${name}/${version}` : name).slice(0, 80);
}

function badEnvelope(key: string, problem: string): RpcError {
  return invalidParams(`${key} ${problem}; every 2026-07-28 request carries it in _meta`, {
    data: { envelope: { key, problem } },
    status: 400,
  });
}
