import { type Abilities, readAbilities } from './abilities.ts';
import { clientName } from './envelope.ts';
import { isObject, type Params, RPC, RpcError } from './jsonrpc.ts';
import { negotiate } from './versions.ts';

export type Handshake = Readonly<{ version: string; can: Abilities; client: string }>;

/** A client that names no version or no capabilities did not mean to initialize; one that names another version is offered ours. */
export function readInitialize(params: Params): Handshake {
  const { protocolVersion, capabilities, clientInfo } = params;
  if (typeof protocolVersion !== 'string') throw invalid('protocolVersion must be a string');
  if (!isObject(capabilities)) throw invalid('capabilities must be an object');
  return {
    version: negotiate(protocolVersion),
    can: readAbilities(capabilities),
    client: clientName(clientInfo),
  };
}

function invalid(why: string): RpcError {
  return new RpcError(RPC.invalidParams, `Invalid params: ${why}`);
}
